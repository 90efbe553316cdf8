/** Kripke in VS Code: starts the language server, and shows what its checks and runs say. All else is the server's. */

import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** What the server answers to `kripke.check` and `kripke.simulate`. */
interface Outcome {
    verdict: string;
    message: string;
    html: string | null;
    text: string;
}

let client: LanguageClient | undefined;
let panel: vscode.WebviewPanel | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const languages: string[] = context.extension.packageJSON.contributes.languages.map((one: { id: string }) => one.id);
    const output = vscode.window.createOutputChannel("Kripke");
    context.subscriptions.push(output);

    const settings = vscode.workspace.getConfiguration("kripke");
    const command = settings.get<string[]>("command", ["kripke"]);
    const server: ServerOptions = { command: command[0], args: [...command.slice(1), "lsp", "--stdio"] };
    const options: LanguageClientOptions = {
        documentSelector: languages.map((language) => ({ language, scheme: "file" })),
        outputChannel: output,
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*") },
        middleware: {
            // A check is one of the file on the disk, and its answer is more than a message.
            executeCommand: async (name, args, next) => {
                await saved(args[0]);
                const title = name === "kripke.check" ? "Kripke checks" : "Kripke simulates";
                const location = vscode.ProgressLocation.Window;
                const outcome: Outcome = await vscode.window.withProgress({ location, title }, () => next(name, args));
                await show(outcome, output);
                return outcome;
            },
        },
    };
    client = new LanguageClient("kripke", "Kripke", server, options);
    context.subscriptions.push(
        vscode.commands.registerCommand("kripke.checkFile", () => onActiveFile("kripke.check", null)),
        vscode.commands.registerCommand("kripke.simulateFile", () => onActiveFile("kripke.simulate")),
        vscode.commands.registerCommand("kripke.restart", () => client?.restart()),
    );
    try {
        await client.start();
    } catch (error) {
        const help = "install it with: pip install 'kripke[lsp]', or say in the setting kripke.command where it is";
        vscode.window.showErrorMessage(`${command.join(" ")} lsp does not start; ${help} (${error})`);
    }
}

export async function deactivate(): Promise<void> {
    await client?.stop();
}

async function onActiveFile(command: string, ...more: unknown[]): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document) {
        await vscode.commands.executeCommand(command, document.uri.toString(), ...more);
    }
}

async function saved(uri: string): Promise<void> {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === vscode.Uri.parse(uri).toString());
    if (document?.isDirty) {
        await document.save();
    }
}

/** A report goes to a web view beside the text; it is one page without anything from outside. */
async function show(outcome: Outcome, output: vscode.OutputChannel): Promise<void> {
    if (outcome.text) {
        output.clear();
        output.append(outcome.text);
        output.show(true);
    }
    if (!outcome.html) {
        return;
    }
    if (!panel) {
        const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
        panel = vscode.window.createWebviewPanel("kripke", "Kripke", column, { enableScripts: true });
        panel.onDidDispose(() => (panel = undefined));
    }
    panel.title = `Kripke: ${outcome.verdict}`;
    panel.webview.html = await fs.readFile(outcome.html, "utf8");
    panel.reveal(undefined, true);
}
