// Component specifications and the messages for wrong names.
#include <gtest/gtest.h>

#include "mcns/core/spec.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

std::string usage_error(const std::function<void()>& action) {
  return error_of(ErrorKind::kUsage, action);
}

TEST(Spec, ReadsNameAndValues) {
  Spec spec = Spec::parse("dns:candidates=8,power=0.5,form=exp,fast=true");
  EXPECT_EQ(spec.name(), "dns");
  EXPECT_EQ(spec.text(), "dns:candidates=8,power=0.5,form=exp,fast=true");
  EXPECT_EQ(spec.integer("candidates", 1, 0, 10), 8);
  EXPECT_EQ(spec.number("power", 0, -1, 1), 0.5);
  EXPECT_EQ(spec.choice("form", "paper", {"paper", "exp"}), "exp");
  EXPECT_TRUE(spec.flag("fast", false));
  EXPECT_EQ(spec.integer("absent", 7, 0, 10), 7);
  EXPECT_FALSE(spec.has("absent"));
  spec.finish();
}

TEST(Spec, KeepsTheTextOfPositionalComponents) {
  Spec file = Spec::parse("file:a=b,c:d.tsv");
  EXPECT_EQ(file.string("value", ""), "a=b,c:d.tsv");
  file.finish();
  Spec mix = Spec::parse("mix:0.8*mcns:steps=2+0.2*rns");
  EXPECT_EQ(mix.string("value", ""), "0.8*mcns:steps=2+0.2*rns");
}

TEST(Spec, RefusesWhatItCannotRead) {
  EXPECT_TRUE(contains(usage_error([] { Spec::parse(""); }), "names no component"));
  EXPECT_TRUE(contains(usage_error([] { Spec::parse(":a=1"); }), "names no component"));
  EXPECT_TRUE(contains(usage_error([] { Spec::parse("dns:8"); }), "'8'"));
  EXPECT_TRUE(contains(usage_error([] { Spec::parse("dns:=8"); }), "key=value"));
  EXPECT_TRUE(contains(usage_error([] { Spec::parse("dns:a=1,,b=2"); }), "key=value"));
  EXPECT_TRUE(contains(usage_error([] { Spec::parse("dns:a=1,a=2"); }), "twice"));
}

TEST(Spec, RefusesValuesOutsideTheirRange) {
  for (const std::string value : {"-1", "11", "x", "3x", "", "1.5", "1e2", " 3", "+3"})
    EXPECT_TRUE(contains(usage_error([&] {
                           Spec spec = Spec::parse("dns:n=" + value);
                           spec.integer("n", 1, 0, 10);
                         }),
                         "dns: n must be an integer in [0, 10], got '" + value + "'"));
  for (const std::string value : {"-0.1", "1.1", "nan", "inf", "half", ""})
    EXPECT_TRUE(contains(usage_error([&] {
                           Spec spec = Spec::parse("dns:p=" + value);
                           spec.number("p", 0.5, 0, 1);
                         }),
                         "dns: p must be a number in [0, 1], got '" + value + "'"));
  EXPECT_TRUE(contains(usage_error([] {
                         Spec spec = Spec::parse("walks:shrink=yes");
                         spec.flag("shrink", true);
                       }),
                       "known: true, false"));
}

TEST(Spec, RejectsLeftoversByName) {
  const auto message = usage_error([] {
    Spec spec = Spec::parse("dns:candidate=8");
    spec.integer("candidates", 1, 0, 10);
    spec.finish();
  });
  EXPECT_EQ(message,
            "unknown parameter of dns 'candidate'; did you mean 'candidates'? known: candidates");
  EXPECT_EQ(usage_error([] { Spec::parse("rns:power=1").finish(); }),
            "rns takes no parameters, got 'power'");
}

TEST(Errors, UnknownNamesAnswerWithTheKnownOnes) {
  const auto message = [](const std::string& given) {
    return usage_error([&] { throw_unknown("sampler", given, {"degree", "rns", "mcns"}); });
  };
  EXPECT_EQ(message("rnss"),
            "unknown sampler 'rnss'; did you mean 'rns'? known: degree, rns, mcns");
  EXPECT_EQ(message("completely-different"),
            "unknown sampler 'completely-different'; known: degree, rns, mcns");
  EXPECT_EQ(usage_error([] { throw_unknown("sampler", "x", {}); }), "unknown sampler 'x'; known: ");
}

TEST(Errors, BadDataNamesFileAndLine) {
  EXPECT_EQ(error_of(ErrorKind::kData, [] { throw_bad_data("a.tsv", 7, "no"); }), "a.tsv:7: no");
  EXPECT_EQ(error_of(ErrorKind::kData, [] { throw_bad_data("a.tsv", 0, "no"); }), "a.tsv: no");
}

}  // namespace
}  // namespace mcns
