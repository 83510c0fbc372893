/* C++ names are qualified, without parameters and result. Row A16.
 * BUILD: g++ -O0
 * BUILD: clang++ -O0
 * TREE:
 * └── main (dur) {app}
 *     ├── shapes::Square::Square (dur) {app}
 *     ├── shapes::Square::area (dur) {app}
 *     ├── shapes::Square::area (dur) {app}
 *     ├── twice (dur) {app}
 *     ├── shapes::Square::plus (dur) {app}
 *     │   └── shapes::Square::plus::{lambda(int)#1}::operator() (dur) {app}
 *     └── shapes::Square::~Square (dur) {app}
 */
namespace shapes {
struct Square {
    explicit Square(int side) : side(side) {
    }
    ~Square() {
        side = 0;
    }
    int area() const {
        return side * side;
    }
    int area(int times) const {
        return side * side * times;
    }
    int plus(int n) const {
        auto add = [this](int other) { return side + other; };
        return add(n);
    }
    int side;
};
} // namespace shapes

namespace {
int twice(int n) {
    return 2 * n;
}
} // namespace

int main() {
    shapes::Square square(3);
    int sum = square.area() + square.area(2) + twice(1);
    return sum + square.plus(1) != 33;
}
