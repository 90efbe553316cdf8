#!/usr/bin/env bash
# Makes kripke-VERSION.vsix: grammars from the languages' registrations, one bundled file of code, packed by vsce.
# Needs Node 20 or newer with npm; install the result with: code --install-extension kripke-*.vsix
set -euo pipefail
cd "$(dirname "$0")"
command -v npm >/dev/null || { echo "package.sh: npm is needed (Node 20 or newer)" >&2; exit 2; }
../../dev python generate.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r package.json tsconfig.json README.md .vscodeignore src syntaxes language-configuration "$work"
cp ../../LICENSE "$work/LICENSE"
cd "$work"
npm install --no-audit --no-fund --no-package-lock --loglevel=error
npx tsc --project tsconfig.json
npx esbuild src/extension.ts --bundle --platform=node --target=node18 --format=cjs --external:vscode --minify \
    --legal-comments=linked --outfile=dist/extension.js --log-level=warning
npx vsce package --no-dependencies --allow-missing-repository --out "$OLDPWD"
