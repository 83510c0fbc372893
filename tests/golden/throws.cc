/* The traced program of the golden trace of C++: names, templates, an exception through three frames. */
#include <stdexcept>
#include <string>

namespace shop {
template <typename Item> struct Basket {
    Item item;
    explicit Basket(Item given) : item(given) {
    }
    Item take(int count) {
        if (count > 1)
            throw std::runtime_error("sold out");
        return item;
    }
};
namespace {
int hidden(Basket<int> &basket, int count) {
    return basket.take(count);
}
} // namespace
int operator+(const Basket<int> &left, const Basket<int> &right) {
    return left.item + right.item;
}
} // namespace shop

int main() {
    shop::Basket<int> basket(1);
    auto both = [&](int count) { return shop::hidden(basket, count) + (basket + basket); };
    int sum = both(1);
    try {
        sum += both(2);
    } catch (const std::exception &) {
    }
    return sum == 3 ? 0 : 1;
}
