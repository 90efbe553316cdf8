/* representative.h -- one state for all that differ by a symmetry only.
 *
 * model/symmetry.py says what a symmetry is, engines/symmetry/representative.py is the
 * reference of what is done here: sorting the instances of every family by the
 * references they hold or by all their data, which may leave several states for one
 * class, or finding one and the same state whatever member of its class is given.
 */
#ifndef KRIPKE_REPRESENTATIVE_H
#define KRIPKE_REPRESENTATIVE_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace kripke {

struct Symmetry {
    /* A piece of the data of each instance. */
    struct Part {
        std::vector<uint32_t> offsets;
        uint32_t size;
    };
    /* What instances are sorted by. */
    struct Key {
        std::vector<uint32_t> offsets;
        uint32_t size;
        bool is_signed, is_reference;
    };
    struct Family {
        uint32_t first; /* the value that refers to instance 0 */
        std::vector<Part> parts;
        std::vector<Key> keys;

        uint32_t count() const { return static_cast<uint32_t>(parts.front().offsets.size()); }
    };
    /* Where a reference is; in a channel, one in each of its messages. */
    struct Site {
        uint32_t offset, size, length_at, length_bytes, stride, most;
    };

    std::vector<Family> families;
    std::vector<Site> sites;
};

enum class Method { references, sort, canonical };

/* Chooses the state that is kept. */
class Representative {
  public:
    virtual ~Representative() = default;

    /* The states that come now are those that one step leads to from this one. */
    virtual void begin(const uint8_t *, uint32_t) {}

    /* Put the representative of the state in its place; it is as long. Choosing may
     * take long: once the word is not 0, any state of the class is put there. No word: never. */
    virtual void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) = 0;
};

inline bool is_set(const volatile uint32_t *word) {
    return word != nullptr && __atomic_load_n(word, __ATOMIC_RELAXED) != 0;
}

/* States that were looked at while one was chosen, to see whether an automorphism
 * leads to another. So many are kept: without the others more is looked at. */
constexpr size_t most_leaves = 4096;

template <class State> void keep(std::set<State> &leaves, std::set<State> &more) {
    if (leaves.size() + more.size() <= most_leaves)
        leaves.merge(more);
}

/* For one thread: it has scratch memory. */
class ProcessRepresentative final : public Representative {
  public:
    ProcessRepresentative(const Symmetry &symmetry, Method method);

    void find(uint8_t *state, uint32_t length, const volatile uint32_t *stop) override;

  private:
    /* A reference from an instance (none: from elsewhere), at a place that is the same for all of a family. */
    struct Arrow {
        uint32_t owner, target;
        uint64_t place;
    };
    static constexpr uint32_t none = UINT32_MAX;

    using Colours = std::vector<uint32_t>;

    void sort(uint8_t *state, uint32_t length);
    int64_t value_of(const uint8_t *state, const Symmetry::Key &key, uint32_t instance) const;
    bool less(const uint8_t *state, const Symmetry::Family &family, uint32_t a, uint32_t b) const;
    /* The instance that a value refers to, numbered through all families; none. */
    uint32_t instance_of(uint32_t value) const;
    void permute(const uint8_t *state, uint32_t length, const std::vector<uint32_t> &positions, uint8_t *result) const;

    void canonical(uint8_t *state, uint32_t length);
    Colours colours_of(const uint8_t *state, uint32_t length);
    void refine(Colours &colours) const;
    std::string least(const std::string &state, Colours colours, std::set<std::string> &leaves) const;
    std::string leaf(const std::string &state, const Colours &colours) const;
    std::string first_leaf(const std::string &state, Colours colours) const;

    const Symmetry &symmetry_;
    const Method method_;
    const volatile uint32_t *stop_ = nullptr;
    uint32_t whole_ = 0;              /* a state with all instances is at least so long */
    std::vector<uint32_t> starts_;    /* the number of the first instance of each family */
    std::vector<uint32_t> family_of_; /* of each instance */
    struct Owner {
        uint32_t instance;
        uint64_t place;
    };
    std::vector<Owner> owners_; /* of the sites */
    std::vector<Arrow> arrows_;
    std::vector<uint8_t> scratch_;
};

} // namespace kripke
#endif
