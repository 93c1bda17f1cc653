// Components as the user writes them, their parameters, formulas and conditions of defaults, and
// the messages for wrong names.
#include <gtest/gtest.h>

#include "mcns/core/registry.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

std::string usage_error(const std::function<void()>& action) {
  return error_of(ErrorKind::kUsage, action);
}

const Component kOne{
    "dns",
    "help",
    {integer_parameter("n", "5", {0, 10}, ""),
     number_parameter("p", "0.5", {0, 1}, "").when("form=exp", "0.25"),
     choice_parameter("form", {"paper", "exp"}, "paper", ""), flag_parameter("fast", false, ""),
     integer_parameter("m", "n+nodes/2", {0, 1000}, "").when("form=exp", "7")}};

Parameters resolved(const std::string& text, const Facts& facts = {{"nodes", "9"}}) {
  return Parameters(resolve_parameters(kOne, given_parameters(kOne, text), {}, facts));
}

TEST(Component, ReadsNameAndValues) {
  EXPECT_EQ(component_name("dns:n=8"), "dns");
  const Parameters p = resolved("dns:n=8,p=0.125,form=exp,fast=true");
  EXPECT_EQ(p.integer("n"), 8);
  EXPECT_EQ(p.number("p"), 0.125);
  EXPECT_EQ(p.text("form"), "exp");
  EXPECT_TRUE(p.flag("fast"));
}

TEST(Component, DefaultsFollowFactsAndParametersBefore) {
  EXPECT_EQ(resolved("dns").integer("m"), 9);  // 5 + 4.5, rounded down
  EXPECT_EQ(resolved("dns:n=1").integer("m"), 5);
  EXPECT_EQ(resolved("dns:form=exp").integer("m"), 7);
  EXPECT_EQ(resolved("dns:form=exp").number("p"), 0.5) << "form comes after p";
  EXPECT_EQ(kOne.parameters[4].default_text(), "n+nodes/2 (7 with form=exp)");
}

TEST(Component, GivenThenSuggestedThenDefault) {
  const std::vector<Setting> suggested = {{"n", "3", Origin::kPreset}, {"p", "1", Origin::kPreset}};
  const auto all =
      resolve_parameters(kOne, given_parameters(kOne, "dns:n=8"), suggested, {{"nodes", "0"}});
  EXPECT_EQ(all[0].value, "8");
  EXPECT_EQ(all[0].from, Origin::kGiven);
  EXPECT_EQ(all[1].value, "1");
  EXPECT_EQ(all[1].from, Origin::kPreset);
  EXPECT_EQ(all[2].from, Origin::kDefault);
  EXPECT_EQ(component_text(kOne, all), "dns:n=8,p=1,form=paper,fast=false,m=8");
}

TEST(Component, KeepsTheTextOfOneValue) {
  Component file{"file", "", {text_parameter("path", "", "")}};
  file.takes_text = true;
  const auto given = given_parameters(file, "file:a=b,c:d.tsv");
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].value, "a=b,c:d.tsv");
  EXPECT_EQ(component_text(file, given), "file:a=b,c:d.tsv");
}

TEST(Component, RefusesWhatItCannotRead) {
  EXPECT_TRUE(contains(usage_error([] { component_name(""); }), "names no component"));
  EXPECT_TRUE(contains(usage_error([] { component_name(":a=1"); }), "names no component"));
  EXPECT_TRUE(contains(usage_error([] { resolved("dns:8"); }), "'8'"));
  EXPECT_TRUE(contains(usage_error([] { resolved("dns:=8"); }), "key=value"));
  EXPECT_TRUE(contains(usage_error([] { resolved("dns:n=1,,p=2"); }), "key=value"));
  EXPECT_TRUE(contains(usage_error([] { resolved("dns:n=1,n=2"); }), "twice"));
}

TEST(Component, RefusesValuesOutsideTheirRange) {
  for (const std::string value : {"-1", "11", "x", "3x", "", "1.5", "1e2", " 3", "+3"})
    EXPECT_TRUE(contains(usage_error([&] { resolved("dns:n=" + value); }),
                         "dns: n must be an integer in [0, 10], got '" + value + "'"));
  for (const std::string value : {"-0.1", "1.1", "nan", "inf", "half", ""})
    EXPECT_TRUE(contains(usage_error([&] { resolved("dns:p=" + value); }),
                         "dns: p must be a number in [0, 1], got '" + value + "'"));
  EXPECT_TRUE(contains(usage_error([] { resolved("dns:fast=yes"); }), "known: true, false"));
}

TEST(Component, RejectsLeftoversByName) {
  EXPECT_EQ(usage_error([] { resolved("dns:fest=8"); }),
            "unknown parameter of dns 'fest'; did you mean 'fast'? known: n, p, form, fast, m");
  EXPECT_EQ(usage_error([] {
              given_parameters({"rns", ""}, "rns:power=1");
            }),
            "rns takes no parameters, got 'power'");
}

TEST(Registry, FindsAddsAndRefuses) {
  Registry<Component> registry("sampler", {{"rns", ""}, {"dns", ""}});
  registry.add({"mine", "a user's own"});
  EXPECT_EQ(registry.find("mine:a=1").help, "a user's own");
  EXPECT_EQ(registry.size(), 3U);
  EXPECT_TRUE(contains(usage_error([&] { registry.add({"rns", ""}); }), "already"));
  EXPECT_EQ(usage_error([&] { registry.find("rnss"); }),
            "unknown sampler 'rnss'; did you mean 'rns'? known: rns, dns, mine");
}

TEST(Formula, Evaluates) {
  const Facts facts = {{"edges", "1000"}, {"sampler.k", "3"}, {"word", "abc"}};
  EXPECT_EQ(evaluate_formula("1+2*3-4/2", facts), 5);
  EXPECT_EQ(evaluate_formula("-(1+2) * 3", facts), -9);
  EXPECT_EQ(evaluate_formula("0.02*(sampler.k+1)", facts), 0.02 * 4);
  EXPECT_EQ(evaluate_formula("clamp(edges/100,1,8)", facts), 8);
  EXPECT_EQ(evaluate_formula("max(5,round(sqrt(edges)/8))", facts), 5);
  EXPECT_EQ(evaluate_formula("min(2,floor(2.9))", facts), 2);
  EXPECT_EQ(evaluate_formula("pow2(edges/200+1)", facts), 8);
  EXPECT_EQ(evaluate_formula("1e-3", facts), 1e-3);
  for (const char* wrong : {"", "1+", "(1", "nodes", "word", "1 2", "sqrt(1,2)", "power(2)"})
    EXPECT_THROW(evaluate_formula(wrong, facts), std::logic_error) << wrong;
}

TEST(Condition, AllOfItsPartsHold) {
  const Facts facts = {
      {"task", "recommend"}, {"arcs", "2000000"}, {"network", "false"}, {"hard", "true"}};
  EXPECT_TRUE(holds("", facts));
  EXPECT_TRUE(holds("task=recommend arcs>1000000 hard", facts));
  EXPECT_FALSE(holds("task=recommend arcs<1000000", facts));
  EXPECT_FALSE(holds("network", facts));
  EXPECT_FALSE(holds("unknown", facts));
  EXPECT_FALSE(holds("unknown=1", facts));
  EXPECT_THROW(holds("task>3", facts), std::logic_error);
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
