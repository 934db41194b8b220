/* Figures (facts, not text) from the device trees of mainline Linux, for gs101 of the Pixel 6
 * kernel: DMIPS per MHz, dynamic-power-coefficient, operating points. Capacity and power follow by
 * the kernel's formulas (reference signals.md 4.1 and 4.5), truncated as there:
 *
 *   capacity = dmips * MHz of the top clock * 1024 / the same of the largest CPU
 *   power in uW of one busy CPU = coefficient * mV^2 * MHz / 10^6 */
#include "import/platform_builtin.h"

#include <string.h>

/* Operating points: X(coefficient, kHz, mV). */
#define HIKEY960_A53(X, c)                                                                         \
	X(c, 533000, 700), X(c, 999000, 800), X(c, 1402000, 900), X(c, 1709000, 1000),             \
	        X(c, 1844000, 1100)
#define HIKEY960_A73(X, c)                                                                         \
	X(c, 903000, 700), X(c, 1421000, 800), X(c, 1805000, 900), X(c, 2112000, 1000),            \
	        X(c, 2362000, 1100)
#define EXYNOS5422_A7(X, c)                                                                        \
	X(c, 200000, 900), X(c, 300000, 900), X(c, 400000, 1000), X(c, 500000, 1000),              \
	        X(c, 600000, 1000), X(c, 700000, 1000), X(c, 800000, 1100), X(c, 900000, 1100),    \
	        X(c, 1000000, 1100), X(c, 1100000, 1250), X(c, 1200000, 1250),                     \
	        X(c, 1300000, 1250), X(c, 1400000, 1275)
#define EXYNOS5422_A15(X, c)                                                                       \
	X(c, 200000, 900), X(c, 300000, 900), X(c, 400000, 900), X(c, 500000, 900),                \
	        X(c, 600000, 900), X(c, 700000, 900), X(c, 800000, 900), X(c, 900000, 1000),       \
	        X(c, 1000000, 1000), X(c, 1100000, 1000), X(c, 1200000, 1000),                     \
	        X(c, 1300000, 1100), X(c, 1400000, 1100), X(c, 1500000, 1100),                     \
	        X(c, 1600000, 1250), X(c, 1700000, 1250), X(c, 1800000, 1237),                     \
	        X(c, 1900000, 1262), X(c, 2000000, 1312)
#define RK3399_A53(X, c)                                                                           \
	X(c, 408000, 800), X(c, 600000, 800), X(c, 816000, 850), X(c, 1008000, 925),               \
	        X(c, 1200000, 1000), X(c, 1416000, 1125)
#define RK3399_A72(X, c)                                                                           \
	X(c, 408000, 800), X(c, 600000, 800), X(c, 816000, 825), X(c, 1008000, 875),               \
	        X(c, 1200000, 950), X(c, 1416000, 1025), X(c, 1608000, 1100), X(c, 1800000, 1200)
#define GS101_A55(X, c)                                                                            \
	X(c, 300000, 537), X(c, 574000, 600), X(c, 738000, 618), X(c, 930000, 668),                \
	        X(c, 1098000, 712), X(c, 1197000, 731), X(c, 1328000, 762), X(c, 1401000, 781),    \
	        X(c, 1598000, 831), X(c, 1704000, 862), X(c, 1803000, 906)
#define GS101_A76(X, c)                                                                            \
	X(c, 400000, 506), X(c, 553000, 537), X(c, 696000, 562), X(c, 799000, 581),                \
	        X(c, 910000, 606), X(c, 1024000, 625), X(c, 1197000, 662), X(c, 1328000, 687),     \
	        X(c, 1491000, 731), X(c, 1663000, 775), X(c, 1836000, 818), X(c, 1999000, 868),    \
	        X(c, 2130000, 918), X(c, 2253000, 968)
#define GS101_X1(X, c)                                                                             \
	X(c, 500000, 500), X(c, 851000, 556), X(c, 984000, 575), X(c, 1106000, 606),               \
	        X(c, 1277000, 631), X(c, 1426000, 662), X(c, 1582000, 693), X(c, 1745000, 731),    \
	        X(c, 1826000, 750), X(c, 2048000, 793), X(c, 2188000, 831), X(c, 2252000, 850),    \
	        X(c, 2401000, 887), X(c, 2507000, 925), X(c, 2630000, 968), X(c, 2704000, 1000),   \
	        X(c, 2802000, 1056)

#define KHZ(c, khz, mv) khz
#define POWER(c, khz, mv) (int64_t)(c) * (mv) * (mv) * ((khz) / 1000) / 1000000
#define CAPACITY(dmips, mhz, top_dmips, top_mhz) (dmips) * (mhz)*1024 / ((top_dmips) * (top_mhz))

#define TABLE(domain, c)                                                                           \
	static const int64_t domain##_khz[] = {domain(KHZ, c)};                                    \
	static const int64_t domain##_uw[] = {domain(POWER, c)};
TABLE(HIKEY960_A53, 110)
TABLE(HIKEY960_A73, 550)
TABLE(EXYNOS5422_A7, 90)
TABLE(EXYNOS5422_A15, 310)
TABLE(RK3399_A53, 100)
TABLE(RK3399_A72, 436)
TABLE(GS101_A55, 70)
TABLE(GS101_A76, 284)
TABLE(GS101_X1, 650)

static const uint32_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

#define DOMAIN(label, table, first, n)                                                             \
	{                                                                                          \
		.name = label, .cpus = numbers + (first), .n_cpus = (n), .khz = table##_khz,       \
		.n_khz = sizeof table##_khz / sizeof *table##_khz, .power_uw = table##_uw          \
	}

static const struct platform_domain exynos5422[] = {DOMAIN("A7", EXYNOS5422_A7, 0, 4),
                                                    DOMAIN("A15", EXYNOS5422_A15, 4, 4)};
static const struct platform_domain gs101[] = {DOMAIN("A55", GS101_A55, 0, 4),
                                               DOMAIN("A76", GS101_A76, 4, 2),
                                               DOMAIN("X1", GS101_X1, 6, 2)};
static const struct platform_domain hikey960[] = {DOMAIN("A53", HIKEY960_A53, 0, 4),
                                                  DOMAIN("A73", HIKEY960_A73, 4, 4)};
static const struct platform_domain rk3399[] = {DOMAIN("A53", RK3399_A53, 0, 4),
                                                DOMAIN("A72", RK3399_A72, 4, 2)};

#define A7 CAPACITY(539, 1400, 1024, 2000)
#define A53_HIKEY CAPACITY(592, 1844, 1024, 2362)
#define A53_RK CAPACITY(485, 1416, 1024, 1800)
#define A55 CAPACITY(250, 1803, 1024, 2802)
#define A76 CAPACITY(620, 2253, 1024, 2802)
static const int32_t exynos5422_capacity[] = {A7, A7, A7, A7, 1024, 1024, 1024, 1024};
static const int32_t gs101_capacity[] = {A55, A55, A55, A55, A76, A76, 1024, 1024};
static const int32_t hikey960_capacity[] = {A53_HIKEY, A53_HIKEY, A53_HIKEY, A53_HIKEY,
                                            1024,      1024,      1024,      1024};
static const int32_t rk3399_capacity[] = {A53_RK, A53_RK, A53_RK, A53_RK, 1024, 1024};

#define PLATFORM(label, from)                                                                      \
	{                                                                                          \
		.name = #label, .source = from, .capacity = label##_capacity,                      \
		.n_cpus = sizeof label##_capacity / sizeof *label##_capacity, .domains = label,    \
		.n_domains = sizeof label / sizeof *label                                          \
	}

static const struct platform platforms[] = {
        PLATFORM(exynos5422, "device tree exynos5422 (Odroid XU3/XU4), mainline Linux"),
        PLATFORM(gs101, "device tree gs101 (Pixel 6), Android kernel"),
        PLATFORM(hikey960, "device tree hi3660-hikey960, mainline Linux"),
        PLATFORM(rk3399, "device tree rk3399, mainline Linux"),
};

const struct platform *platform_builtin_at(size_t i)
{
	return i < sizeof platforms / sizeof *platforms ? &platforms[i] : NULL;
}

const struct platform *platform_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof platforms / sizeof *platforms; i++)
		if (!strcmp(platforms[i].name, name))
			return &platforms[i];
	return NULL;
}
