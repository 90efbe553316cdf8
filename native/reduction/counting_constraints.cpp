#include "reduction/counting_constraints.h"

namespace kripke {

CountingConstraints::CountingConstraints(Views &views, std::vector<Counted> counted, std::vector<std::vector<uint32_t>> alone)
    : views_(views), counted_(std::move(counted)), alone_(std::move(alone)), signs_(views.actors()) {
    for (size_t number = 0; number < counted_.size(); ++number)
        shares_.emplace_back(views.actors());
}

std::vector<std::set<int64_t>> CountingConstraints::come_up(size_t number) const {
    std::vector<std::set<int64_t>> found;
    for (const auto &shares : shares_[number]) {
        auto &of_actor = found.emplace_back();
        for (const auto &[own, share] : shares)
            of_actor.insert(share);
    }
    return found;
}

/* What nobody else looks at. */
std::string CountingConstraints::own(uint32_t pid, uint32_t view) const {
    const std::string_view text = views_.text(pid, view);
    std::string found(text.substr(0, views_.actor(pid).size));
    for (const uint32_t place : alone_[pid])
        found.push_back(text[place]);
    return found;
}

int64_t CountingConstraints::value(const Counted &counted, uint32_t place, std::string_view text) const {
    const uint32_t size = (counted.bits + 7) / 8;
    uint64_t value = 0;
    for (uint32_t byte = size; byte-- > 0;)
        value = value << 8 | static_cast<uint8_t>(text[place + byte]);
    if (counted.is_signed && (value >> (counted.bits - 1)) != 0)
        return static_cast<int64_t>(value) - (int64_t{1} << counted.bits);
    return static_cast<int64_t>(value);
}

int64_t CountingConstraints::wrapped(const Counted &counted, int64_t value) const {
    return value & ((int64_t{1} << counted.bits) - 1);
}

void CountingConstraints::begin(uint32_t pid, uint32_t view) {
    for (size_t number = 0; number < counted_.size(); ++number)
        if (counted_[number].is_tally)
            shares_[number][pid][own(pid, view)] = 0;
}

void CountingConstraints::follow(uint32_t pid, uint32_t view, uint32_t target) {
    for (size_t number = 0; number < counted_.size(); ++number) {
        const Counted &counted = counted_[number];
        if (!counted.is_tally)
            continue;
        const uint32_t place = counted.places[pid];
        int64_t added = 0;
        if (place != no_view)
            added = value(counted, place, views_.text(pid, target)) - value(counted, place, views_.text(pid, view));
        auto &shares = shares_[number][pid];
        const int64_t share = wrapped(counted, shares.at(own(pid, view)) + added);
        if (shares.emplace(own(pid, target), share).first->second != share)
            throw NoTally{number};
    }
}

void CountingConstraints::note(uint32_t pid, uint32_t view) {
    if (counted_.empty())
        return;
    Signs found;
    size_t counter = 0;
    for (size_t number = 0; number < counted_.size(); ++number) {
        const Counted &counted = counted_[number];
        const uint32_t place = counted.places[pid];
        const bool is_seen = place != no_view;
        const int64_t share =
            counted.is_tally ? shares_[number][pid].at(own(pid, view)) : views_.shares(pid, view)[counter++];
        found.push_back({is_seen, is_seen ? value(counted, place, views_.text(pid, view)) : 0, share});
    }
    const auto [place, is_new] = sign_numbers_.emplace(found, static_cast<uint32_t>(all_signs_.size()));
    if (is_new)
        all_signs_.push_back(found);
    if (signs_[pid].size() <= view)
        signs_[pid].resize(view + size_t{1});
    signs_[pid][view] = place->second;
}

/* The sums of the shares that all actors but some may have. */
const std::set<int64_t> &CountingConstraints::sum_of(size_t number, std::set<uint32_t> missing) {
    const auto key = std::make_pair(number, missing);
    const auto known = sums_.find(key);
    if (known != sums_.end())
        return known->second;
    std::set<int64_t> sums{0};
    for (uint32_t pid = 0; pid < views_.actors(); ++pid) {
        if (missing.contains(pid))
            continue;
        std::set<int64_t> more;
        for (const int64_t total : sums)
            for (const int64_t share : counted_[number].possible[pid])
                more.insert(wrapped(counted_[number], total + share));
        sums.swap(more);
    }
    return sums_[key] = sums;
}

/* Numbers of signs are small: there are at most as many as views. */
CountingConstraints::Known &CountingConstraints::known(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    const uint32_t mine = sign(one, view), theirs = sign(other, beside);
    const uint64_t key = uint64_t{one} << 56 | uint64_t{mine} << 32 | uint64_t{other} << 24 | theirs;
    const auto [place, is_new] = known_.try_emplace(key);
    if (is_new)
        place->second = {one, mine, other, theirs, not_asked, std::vector<std::vector<Answer>>(views_.actors())};
    return place->second;
}

bool CountingConstraints::may_be(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    if (counted_.empty())
        return true;
    Known &pair = known(one, view, other, beside);
    if (pair.may_be == not_asked)
        pair.may_be = finds(pair) ? yes : no;
    return pair.may_be == yes;
}

CountingConstraints::Couple CountingConstraints::couple(uint32_t one, uint32_t view, uint32_t other, uint32_t beside) {
    return {*this, counted_.empty() ? nullptr : &known(one, view, other, beside)};
}

bool CountingConstraints::Couple::may_be_with(uint32_t third, uint32_t its) {
    if (known_ == nullptr)
        return true;
    const uint32_t sign = constraints_.sign(third, its);
    std::vector<Answer> &answers = known_->thirds[third];
    if (answers.size() <= sign)
        answers.resize(constraints_.all_signs_.size(), not_asked);
    if (answers[sign] == not_asked)
        answers[sign] = constraints_.finds_with(*known_, third, sign) ? yes : no;
    return answers[sign] == yes;
}

bool CountingConstraints::finds(const Known &known) {
    for (size_t number = 0; number < counted_.size(); ++number) {
        const Sign &mine = all_signs_[known.sign][number], &theirs = all_signs_[known.other_sign][number];
        if (!mine.is_seen && !theirs.is_seen)
            continue;
        const int64_t value = mine.is_seen ? mine.value : theirs.value;
        const int64_t rest = value - counted_[number].start - mine.share - theirs.share;
        if (!sum_of(number, {known.one, known.other}).contains(wrapped(counted_[number], rest)))
            return false;
    }
    return true;
}

bool CountingConstraints::finds_with(const Known &known, uint32_t third, uint32_t its_sign) {
    for (size_t number = 0; number < counted_.size(); ++number) {
        const Sign &mine = all_signs_[known.sign][number], &theirs = all_signs_[known.other_sign][number];
        if (!mine.is_seen && !theirs.is_seen)
            continue;
        const int64_t value = mine.is_seen ? mine.value : theirs.value, share = all_signs_[its_sign][number].share;
        const int64_t rest = value - counted_[number].start - mine.share - theirs.share - share;
        if (!counted_[number].possible[third].contains(share) ||
            !sum_of(number, {known.one, known.other, third}).contains(wrapped(counted_[number], rest)))
            return false;
    }
    return true;
}

} // namespace kripke
