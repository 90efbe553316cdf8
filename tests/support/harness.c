/* Answers questions about a compiled model, for the tests.
 *
 * In: states, each as a 32-bit length and its bytes. Out: first the initial states, then for every state its
 * successors; an answer is a series of records that ends with E. All numbers are 32-bit, in the machine's order.
 *
 *     S length label bytes     a state
 *     V code label             a violation
 *     E valid_end atoms...     the end; one number per atom
 *
 * States and sink are blocks of exactly the size promised, so that a sanitizer sees every step beyond. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

extern const kripke_model *kripke_model_entry(void);

static const kripke_model *model;

static void number(uint32_t value)
{
    fwrite(&value, sizeof value, 1, stdout);
}

static void emit(kripke_sink *sink, uint32_t length, uint32_t label)
{
    putchar('S'), number(length), number(label);
    fwrite(sink->out, 1, length, stdout);
    free(sink->out);
    sink->out = malloc(model->max_state_bytes);
    memset(sink->out, 0xaa, model->max_state_bytes);
}

static void report(kripke_sink *sink, uint32_t code, uint32_t label)
{
    (void)sink;
    putchar('V'), number(code), number(label);
}

static void end(const uint8_t *state, uint32_t length)
{
    uint64_t *truth = calloc(2 * (model->atom_count / 64 + 1), sizeof *truth);
    putchar('E');
    number(state ? (uint32_t)model->valid_end(state, length) : 0);
    if (state && model->atom_count) model->atoms(state, length, truth);
    for (uint32_t i = 0; state && i < model->atom_count; i++) number(truth[i / 64] >> (i % 64) & 1);
    free(truth);
}

int main(int count, char **arguments)
{
    uint32_t length, stop = 0;
    kripke_sink sink = {0};
    model = kripke_model_entry();
    sink.out = malloc(model->max_state_bytes);
    memset(sink.out, 0xaa, model->max_state_bytes);
    sink.emit = emit;
    sink.report = report;
    sink.covered = calloc(1, model->label_count);
    sink.stop = &stop;
    sink.context = model->context_new ? model->context_new(model) : 0;
    model->initial(&sink);
    end(0, 0);
    while (fread(&length, sizeof length, 1, stdin) == 1) {
        uint8_t *state = malloc(length ? length : 1);
        if (length && fread(state, length, 1, stdin) != 1) return 1;
        model->successors(state, length, &sink);
        end(state, length);
        free(state);
    }
    if (count > 1 && !strcmp(arguments[1], "--covered")) fwrite(sink.covered, 1, model->label_count, stdout);
    if (model->context_free) model->context_free(sink.context);
    free(sink.covered), free(sink.out);
    return 0;
}
