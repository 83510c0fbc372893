#include "render/variance.h"

#include <math.h>

enum { FRACTION_TERMS_MOST = 300 };

struct sample {
    double count;
    double mean;
    double variance;
};

static struct sample sample_of(const struct ts_call_count *count) {
    struct sample sample = {.count = (double)count->calls};
    if (count->calls == 0)
        return sample;
    sample.mean = (double)count->durations / sample.count;
    if (count->calls < 2)
        return sample;
    /* The sum of the squares less the square of the sum / n, exact: both may be near 2^120 and differ little. */
    unsigned __int128 mean = count->durations / count->calls, rest = count->durations % count->calls;
    unsigned __int128 spread = count->squares - count->calls * mean * mean - 2 * mean * rest;
    double exact = (double)(__int128)spread - (double)rest * ((double)rest / sample.count);
    sample.variance = exact > 0 ? exact / (sample.count - 1) : 0;
    return sample;
}

uint64_t ts_variance_deviation(const struct ts_call_count *count) {
    return (uint64_t)(sqrt(sample_of(count).variance) + 0.5);
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= FRACTION_TERMS_MOST; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double terms[] = {even, odd};
        double step = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + terms[i] * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + terms[i] / c;
            if (fabs(c) < tiny)
                c = tiny;
            step = c * d;
            fraction *= step;
        }
        if (fabs(step - 1) < 1e-12)
            break;
    }
    return fraction;
}

/* The regularised incomplete beta function. */
static double incomplete_beta(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double ts_variance_chance(const struct ts_call_count *left, const struct ts_call_count *right) {
    struct sample a = sample_of(left), b = sample_of(right);
    if (a.count < 2 || b.count < 2)
        return -1;
    double error_a = a.variance / a.count, error_b = b.variance / b.count;
    double error = error_a + error_b;
    if (error <= 0)
        return a.mean == b.mean ? 1 : 0;
    double square_of_t = (a.mean - b.mean) * (a.mean - b.mean) / error;
    double freedom = error * error / (error_a * error_a / (a.count - 1) + error_b * error_b / (b.count - 1));
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square_of_t));
}
