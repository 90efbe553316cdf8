#include "reduction/views.h"

namespace kripke {

namespace {

/* In `kept_`: not looked for yet. */
constexpr uint32_t unknown = no_view - 1;

} // namespace

Views::Views(std::vector<Actor> actors, uint32_t most, Ask ask, AskOfTwo ask_of_two)
    : actors_(std::move(actors)), most_(most), ask_(std::move(ask)), ask_of_two_(std::move(ask_of_two)), texts_(actors_.size()), numbers_(actors_.size()),
      known_(actors_.size()), places_(actors_.size()), changes_(actors_.size()), kept_(actors_.size()) {
    for (uint32_t pid = 0; pid < this->actors(); ++pid)
        places_[pid].insert(actors_[pid].places.begin(), actors_[pid].places.end());
    effect_number({});
}

uint32_t Views::number(uint32_t pid, std::string_view text) {
    const auto found = numbers_[pid].find(text);
    if (found != numbers_[pid].end())
        return found->second;
    const uint32_t view = count(pid);
    if (count_++ >= most_)
        throw TooManyViews();
    numbers_[pid].emplace(text, view);
    texts_[pid].emplace_back(text);
    known_[pid].emplace_back();
    return view;
}

uint32_t Views::find(uint32_t pid, const uint8_t *state) const {
    const Actor &actor = actors_[pid];
    thread_local std::string text;
    text.assign(reinterpret_cast<const char *>(state) + actor.start, actor.size);
    for (const uint32_t at : actor.seen)
        text.push_back(static_cast<char>(state[at]));
    const auto found = numbers_[pid].find(std::string_view(text));
    return found == numbers_[pid].end() ? no_view : found->second;
}

/* ---- What is known of a view. ---- */

Views::Known &Views::known(uint32_t pid, uint32_t view) {
    if (!known_[pid][view].is_asked) {
        Told told = ask_(pid, texts_[pid][view]);
        std::vector<ViewMove> moves;
        for (const Told::Step &step : told.steps)
            moves.push_back({step.transition, step.fails ? no_view : number(pid, step.target),
                             step.fails ? 0 : effect_number(step.effect), step.result});
        known_[pid][view] = {true, told.is_settled, told.offers, told.accepts, std::move(told.shares), std::move(moves)};
    }
    return known_[pid][view];
}

std::span<const ViewMove> Views::moves(uint32_t pid, uint32_t view) { return known(pid, view).moves; }
bool Views::is_settled(uint32_t pid, uint32_t view) { return known(pid, view).is_settled; }
std::span<const int64_t> Views::shares(uint32_t pid, uint32_t view) { return known(pid, view).shares; }

std::span<const ViewMeeting> Views::meetings(uint32_t pid, uint32_t view, uint32_t other, uint32_t beside) {
    if (!known(pid, view).offers || !known(other, beside).accepts)
        return {};
    const uint64_t key = key_of(pid, view, other, beside);
    if (const uint32_t number = meeting_numbers_.find(key); number != FlatMap::nothing)
        return meetings_[number];
    std::vector<ViewMeeting> found;
    for (const Met &met : ask_of_two_(pid, texts_[pid][view], other, texts_[other][beside]))
        found.push_back({number(pid, met.target), number(other, met.partner), effect_number(met.effect)});
    meeting_numbers_.set(key, static_cast<uint32_t>(meetings_.size()));
    return meetings_.emplace_back(std::move(found));
}

const ViewMove *Views::only(uint32_t pid, uint32_t view, uint32_t transition) {
    const ViewMove *found = nullptr;
    for (const ViewMove &move : moves(pid, view))
        if (move.transition == transition) {
            if (found != nullptr)
                return nullptr;
            found = &move;
        }
    return found;
}

/* ---- Effects. ---- */

uint32_t Views::effect_number(const ViewEffect &effect) {
    std::string key;
    for (const auto &[at, value] : effect) {
        key.append(reinterpret_cast<const char *>(&at), sizeof(at));
        key.push_back(static_cast<char>(value));
    }
    const auto [place, is_new] = effect_numbers_.emplace(std::move(key), effects());
    if (is_new) {
        effects_.push_back(effect);
        for (uint32_t pid = 0; pid < actors(); ++pid) {
            ViewEffect &changes = changes_[pid].emplace_back();
            for (const auto &[at, value] : effect) {
                const auto found = places_[pid].find(at);
                if (found != places_[pid].end())
                    changes.emplace_back(found->second, value);
            }
            kept_[pid].emplace_back();
        }
    }
    return place->second;
}

uint32_t Views::after(uint32_t pid, uint32_t view, uint32_t effect, bool may_be_new) {
    const ViewEffect &changes = changes_[pid][effect];
    if (changes.empty())
        return view;
    std::vector<uint32_t> &kept = kept_[pid][effect];
    if (view < kept.size() && kept[view] != unknown)
        return kept[view];
    scratch_ = texts_[pid][view];
    for (const auto &[place, value] : changes)
        scratch_[place] = static_cast<char>(value);
    uint32_t found;
    if (may_be_new) {
        found = number(pid, scratch_);
    } else {
        const auto place = numbers_[pid].find(std::string_view(scratch_));
        found = place == numbers_[pid].end() ? no_view : place->second;
    }
    if (view >= kept.size() && kept_count_ + count(pid) - kept.size() <= most_kept) {
        kept_count_ += count(pid) - kept.size();
        kept.resize(count(pid), unknown);
    }
    if (view < kept.size() && found != no_view)
        kept[view] = found;
    return found;
}

} // namespace kripke
