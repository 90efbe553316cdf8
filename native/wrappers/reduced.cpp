#include "wrappers/reduced.h"

#include "wrappers/forwarder.h"
#include "model/sink.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kripke {

/* One worker's line from the model to whoever asked: keeps the steps of a state
 * until it is known which of them to pass on. */
class Reduced::Forwarder final : public Sink {
  public:
    explicit Forwarder(const Reduced &reduced)
        : Sink(reduced.model_, nullptr), reduced_(reduced), bytes_(reduced.model_.max_state_bytes),
          by_label_(by_label(reduced.model_)), by_transition_(by_transition(reduced.model_)),
          moved_(most_choosers(reduced.model_)), chosen_(moved_.size()),
          key_(reduced.model_.max_key_bytes + size_t{1}), lacking_(reduced.model_.max_lacking),
          distant_(reduced.model_.distant == nullptr ? 0 : reduced.model_.max_lacking),
          sets_(!by_label_ && !by_transition_) {
        connect(this);
    }

    void initial(Sink &asker) {
        begin(asker);
        reduced_.model_.initial(this);
        if (asker.lost)
            return;
        pass(Part::all);
    }

    void successors(const uint8_t *state, uint32_t length, Sink &asker) {
        if (!asker.again) {
            begin(asker);
            reduced_.model_.successors(state, length, this);
            can_choose_ = false;
            if (asker.lost)
                return;
            if (asker.choice != Sink::every_step && movers_ > 1 && last_resort == 0 && !puzzling_)
                can_choose_ = prepare(state, length);
        }
        const bool others = asker.choice == Sink::other_steps;
        std::span<const uint32_t> actors;
        if (asker.choice != Sink::every_step && can_choose_)
            actors = choose(others ? 0 : asker.choice, state, length);
        asker.reduced = !actors.empty() && !others;
        for (const uint32_t actor : actors)
            chosen_[actor] = 1;
        if (!actors.empty())
            pass(others ? Part::others : Part::chosen);
        else if (!others)
            pass(Part::all);
        for (const uint32_t actor : actors)
            chosen_[actor] = 0;
    }

    void take(uint32_t length, uint32_t label) noexcept {
        const uint32_t chooser = note(label);
        try {
            steps_.push_back({end_, length, label, actor, chooser, event, false, false});
            end_ += length;
            make_room();
        } catch (const std::bad_alloc &) {
            asker_->lost = true;
        }
    }

    void complain(uint32_t code, uint32_t label) noexcept {
        const uint32_t chooser = note(label);
        puzzling_ = puzzling_ || by_transition_;
        try {
            steps_.push_back({0, code, label, actor, chooser, event, true, false});
        } catch (const std::bad_alloc &) {
            asker_->lost = true;
        }
    }

  private:
    /* What is chosen together: the steps of a process, or of a transition. */
    static size_t most_choosers(const kripke_model &model) {
        return by_label(model) ? model.label_count : by_transition(model) ? model.max_lacking : std::max(model.max_actors, 256u);
    }
    static bool by_label(const kripke_model &model) { return (model.flags & KRIPKE_LABELS_ARE_TRANSITIONS) != 0; }
    static bool by_transition(const kripke_model &model) { return (model.flags & KRIPKE_STEPS_HAVE_TRANSITIONS) != 0; }

    /* A step, or a violation (its code for a length). */
    struct Step {
        uint64_t at;
        uint32_t length, label, actor, chooser, event;
        bool violation, told = false;
    };

    /* For one more state behind those that are kept. */
    void make_room() {
        const size_t needed = end_ + reduced_.model_.max_state_bytes;
        if (bytes_.size() < needed)
            bytes_.resize(2 * needed);
        out = bytes_.data() + end_;
    }

    void begin(Sink &asker) {
        for (const Step &step : steps_)
            if (step.chooser < moved_.size())
                moved_[step.chooser] = 0;
        movers_ = 0;
        puzzling_ = false;
        asker_ = &asker;
        covered = asker.covered;
        stop = asker.stop;
        actor = KRIPKE_NOBODY;
        last_resort = 0;
        steps_.clear();
        end_ = 0;
        out = bytes_.data();
    }

    uint32_t note(uint32_t label) {
        const uint32_t chooser = by_label_ ? label : by_transition_ ? transition : actor;
        puzzling_ = puzzling_ || (by_transition_ && chooser >= moved_.size());
        if (chooser < moved_.size() && moved_[chooser] == 0) {
            moved_[chooser] = 1;
            ++movers_;
        }
        return chooser;
    }

    bool prepare(const uint8_t *state, uint32_t length) {
        DependencyTables *const tables = tables_of(state, length);
        if (tables == nullptr)
            return false;
        const uint32_t size = reduced_.model_.lacking(state, length, lacking_.data());
        here_.resize(size);
        uint32_t row = 0;
        for (uint32_t i = 0; i < size; ++i) {
            const kripke_lack &item = lacking_[i];
            const bool is_first = i == 0 || item.actor != lacking_[i - 1].actor;
            if (item.selector == 0)
                row = item.transition;
            else
                row = is_first ? row_of(*tables, item, state, length) : row + 1;
            here_[i] = {item.transition, item.actor, item.lacking, row, row};
        }
        far_ = 0;
        if (reduced_.model_.distant != nullptr)
            far_ = reduced_.model_.distant(state, length, distant_.data());
        sets_.begin(*tables, here_, {distant_.data(), far_}, moved_);
        may_look_ahead_ = !tables->first_of.empty() && disturbances_.has_value();
        return true;
    }

    /* Sets of one process alone come first; what comes from here on makes others smaller, and is looked for then. */
    std::span<const uint32_t> choose(uint32_t number, const uint8_t *state, uint32_t length) {
        if (may_look_ahead_) {
            const std::span<const uint32_t> alone = sets_.choose_alone(number);
            if (!alone.empty())
                return alone;
            may_look_ahead_ = false;
            if (disturbances_->look(state, length)) {
                look_ahead(*last_tables_);
                sets_.begin(*last_tables_, here_, {distant_.data(), far_}, moved_);
            }
        }
        return sets_.choose(number);
    }

    /* The enabled transitions at hand get another row, of what may disturb them from here on. */
    void look_ahead(DependencyTables &tables) {
        for (size_t begin = 0, end = 0; begin < here_.size(); begin = end) {
            uint64_t enabled = 0;
            uint32_t open = 0, unclear = 0;
            bool all_seen = true;
            for (; end < here_.size() && here_[end].actor == here_[begin].actor; ++end) {
                const AtHand &item = here_[end];
                const bool is_unclear = item.lacking == KRIPKE_UNCLEAR && moved_[item.actor] != 0;
                all_seen = all_seen && !has(tables.unseen, item.transition) && end - begin < 64;
                open += item.lacking == 0 || is_unclear;
                unclear += is_unclear;
                enabled |= uint64_t{item.lacking == 0 || is_unclear} << (end - begin) % 64;
            }
            /* One of several that may be enabled: which, is not known. */
            all_seen = all_seen && (unclear == 0 || open == 1);
            if (!all_seen || enabled == 0 || here_[begin].actor >= disturbances_->present())
                continue;
            waiting_key_.assign({0, static_cast<uint32_t>(enabled), static_cast<uint32_t>(enabled >> 32)});
            for (uint32_t other = 0; other < disturbances_->present(); ++other)
                if (other != here_[begin].actor)
                    waiting_key_.push_back(disturbances_->between(here_[begin].actor, other, stop));
            if (std::any_of(waiting_key_.begin() + 3, waiting_key_.end(),
                            [this](uint32_t set) { return disturbances_->is_unknown(set); }))
                continue;
            for (size_t i = begin; i < end; ++i)
                if ((enabled >> (i - begin) & 1) != 0)
                    here_[i].waiting = waiting_row(tables, here_[i], here_[begin].transition, enabled);
        }
    }

    /* `enabled`: what is, from the first transition at the location on. */
    uint32_t waiting_row(DependencyTables &tables, const AtHand &item, uint32_t first, uint64_t enabled) {
        waiting_key_[0] = item.transition;
        const auto known = tables.while_waiting.find(waiting_key_);
        if (known != tables.while_waiting.end())
            return known->second;
        if (tables.while_waiting.size() >= most_waiting)
            return item.row;
        std::vector<uint64_t> set(tables.words);
        const auto add = [&set](uint32_t bit) { set[bit / 64] |= uint64_t{1} << (bit % 64); };
        for (uint32_t i = 0; i < 64; ++i)
            if ((enabled >> i & 1) != 0)
                add(first + i);
        for (uint32_t other = 0, next = 3; other < disturbances_->present(); ++other)
            if (other != item.actor)
                for (const uint32_t transition : disturbances_->set(waiting_key_[next++]))
                    add(tables.first_of[other] + transition);
        /* At any time: what the state tells counts only together with who could change it. */
        for (uint32_t word = 0; word < tables.words; ++word)
            set[word] |= tables.conflicts_of(item.transition)[word] & tables.unseen[word];
        set[item.transition / 64] &= ~(uint64_t{1} << (item.transition % 64));
        const uint32_t row = tables.rows();
        tables.conflicts.insert(tables.conflicts.end(), set.begin(), set.end());
        tables.first.push_back(tables.first.back());
        return tables.while_waiting[waiting_key_] = row;
    }

    static bool has(const std::vector<uint64_t> &set, uint32_t bit) { return (set[bit / 64] >> (bit % 64) & 1) != 0; }

    /* Of the first transition at hand of an actor. Those beside it have the next ones. */
    uint32_t row_of(DependencyTables &tables, const kripke_lack &item, const uint8_t *state, uint32_t length) {
        const uint64_t key = uint64_t{item.transition} << 32 | item.selector;
        const auto known = tables.at_hand.find(key);
        if (known != tables.at_hand.end())
            return known->second;
        if (tables.at_hand.size() >= most_selectors)
            return item.transition;
        uint32_t row = tables.rows();
        if (!reduced_.advice_.add_rows(tables, state, length, item.transition))
            row = item.transition;
        tables.at_hand.emplace(key, row);
        return row;
    }

    DependencyTables *tables_of(const uint8_t *state, uint32_t length) {
        const uint32_t size = reduced_.model_.configuration(state, length, key_.data());
        if (last_tables_ != nullptr && size == last_key_.size() && std::memcmp(last_key_.data(), key_.data(), size) == 0)
            return last_tables_;
        std::string key(reinterpret_cast<const char *>(key_.data()), size);
        last_key_ = key;
        const auto known = tables_.find(key);
        if (known != tables_.end())
            last_tables_ = known->second.get();
        else if (tables_.size() >= most_configurations)
            last_tables_ = nullptr;
        else
            last_tables_ = tables_.emplace(std::move(key), reduced_.advice_.tables(state, length)).first->second.get();
        if (last_tables_ != nullptr && !asked_for_pairs_) {
            asked_for_pairs_ = true;
            if (std::shared_ptr<SharedPairs> pairs = reduced_.advice_.pairs())
                disturbances_.emplace(std::move(pairs));
        }
        return last_tables_;
    }

    enum class Part { all, chosen, others };

    /* Hand on all steps, or some. A step of nobody is always chosen. A violation is told once. */
    void pass(Part part) {
        for (Step &step : steps_) {
            const bool is_chosen = step.chooser >= chosen_.size() || chosen_[step.chooser] != 0;
            if (part != Part::all && is_chosen != (part == Part::chosen))
                continue;
            if (asker_->told_to_stop())
                return;
            asker_->actor = step.actor;
            asker_->event = step.event;
            if (step.violation) {
                if (!step.told)
                    asker_->report(asker_, step.length, step.label);
                step.told = true;
                continue;
            }
            std::memcpy(asker_->out, bytes_.data() + step.at, step.length);
            asker_->emit(asker_, step.length, step.label);
        }
    }

    const Reduced &reduced_;
    Sink *asker_ = nullptr;
    std::vector<Step> steps_;
    std::vector<uint8_t> bytes_; /* the states, and room for one more, */
    size_t end_ = 0;             /* which begins here */
    const bool by_label_, by_transition_;
    std::vector<uint8_t> moved_, chosen_; /* by chooser */
    uint32_t movers_ = 0;
    bool can_choose_ = false;
    bool puzzling_ = false; /* is there a step of no known transition, or a violation beside which all is to be seen? */
    std::vector<uint8_t> key_;
    std::string last_key_; /* of the state before, and its tables */
    DependencyTables *last_tables_ = nullptr;
    std::vector<kripke_lack> lacking_, distant_;
    std::vector<AtHand> here_;
    bool asked_for_pairs_ = false;
    std::optional<Disturbances> disturbances_;
    std::vector<uint32_t> waiting_key_;
    bool may_look_ahead_ = false; /* in the present state, and it was not done yet */
    uint32_t far_ = 0;            /* how many are distant */
    StubbornSets sets_;
    std::unordered_map<std::string, std::unique_ptr<DependencyTables>> tables_;
};

Reduced::Reduced(const kripke_model &model, Advice &advice) : kripke_model(model), model_(model), advice_(advice) {
    ask_by_relay<Reduced, Forwarder>(*this);
}

} // namespace kripke
