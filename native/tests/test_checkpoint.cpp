#include "check.h"
#include "searches/checkpoint.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace kripke;

namespace {

const std::string key = "0123456789abcdef";

/* The first of the test vectors of the paper's authors that has a rest, and one without. */
void marks_of_the_paper() {
    uint8_t bytes[16];
    for (uint8_t i = 0; i < 16; ++i)
        bytes[i] = i;
    SipHash fifteen(bytes);
    fifteen.add(bytes, 4);
    fifteen.add(bytes + 4, 11);
    CHECK(fifteen.mark() == 0xa129ca6149be45e5);
    SipHash none(bytes);
    CHECK(none.mark() == 0x726fdb47dd0e0e31);
}

void write(const std::string &path) {
    CheckpointWriter writer(path, "mine", key);
    writer.number(7);
    writer.text(reinterpret_cast<const uint8_t *>("abc"), 3);
    CHECK(writer.finish());
}

bool is_read(const std::string &path, const std::string &fingerprint, const std::string &with) {
    try {
        CheckpointReader reader(path, fingerprint, with);
        uint8_t text[4];
        CHECK(reader.number() == 7);
        const uint32_t length = reader.text(text, sizeof text);
        reader.finish();
        return length == 3 && text[2] == 'c';
    } catch (const BadCheckpoint &) {
        return false;
    }
}

/* Every bit counts, and every byte. */
void damage(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    const std::string good((std::istreambuf_iterator<char>(file)), {});
    const std::string bad = path + ".bad";
    const auto refused = [&](const std::string &content) {
        std::ofstream(bad, std::ios::binary) << content;
        try {
            CheckpointReader reader(bad, "mine", key);
            reader.number();
            uint8_t text[4];
            reader.text(text, sizeof text);
            reader.finish();
        } catch (const BadCheckpoint &) {
            return true;
        }
        return false;
    };
    CHECK(!refused(good));
    for (size_t end = 0; end < good.size(); ++end)
        CHECK(refused(good.substr(0, end)));
    CHECK(refused(good + "x"));
    for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string changed = good;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
        CHECK(refused(changed));
    }
    std::remove(bad.c_str());
}

} // namespace

void test_checkpoint() {
    marks_of_the_paper();
    const std::string path = "/tmp/test-of-kripke-checkpoint-" + std::to_string(getpid());
    write(path);
    CHECK(is_read(path, "mine", key));
    CHECK(!is_read(path, "another", key));
    CHECK(!is_read(path, "mine", "0123456789abcdeF"));
    CHECK(!is_read(path + "x", "mine", key));
    damage(path);
    std::remove(path.c_str());
}
