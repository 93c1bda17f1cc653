#!/usr/bin/env python3
"""Which defaults hold on data that did not choose them: recipes over datasets, each left out in turn.

  suite.py run TASK      runs what the table does not have yet: every recipe on every dataset; a stopped run goes on
  suite.py regret TASK   prints, for each dataset, the recipe that the others choose and how far it is below the best
                         one there, and the recipe of smallest worst regret over all
  suite.py pairs TASK [--recipes A,B[,C,D...]]
                         prints test figures of A beside B (C beside D), and the difference paired by seed
  suite.py page          prints docs/notes/suite.md: all of that, for every task

Recipes and datasets are in recipes.toml; --only and --recipes take some of them (names, commas between). `tune` is one
more recipe: `mcns run --tune 20`. The table is a file of JSON lines. Recipes are chosen by validation figures; what is
printed of the one chosen is its test figure. Classification has no validation part of its own: there the first seed
chooses, the others are reported.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).parent
TUNE = "--tune 20"
TITLES = {"recommend": "Recommendation", "linkpred": "Link prediction", "classify": "Classification"}
PAGE = """# Defaults on data that did not choose them

Made by `bench/suite/suite.py page` from `bench/suite/*.jsonl`; do not edit. `MCNS_DATA=D bench/suite/suite.py run TASK` fills
the table: every recipe (flags of `mcns run`) on every dataset, both in `bench/suite/recipes.toml`. Figures are means over the
seeds that the table has: one of most recipes, up to three (Wikipedia: eight) of the default and of what is compared in pairs.

Regret is how far a recipe is below the best one of its dataset, on test. For each dataset the *others* choose the recipe of
smallest worst regret, by validation; classification has no validation part, so there the first seed chooses. A recipe counts
where every dataset has it. Against `--tune 20`, a negative figure is better than what the search found; the search for
recommendation may learn from the validation pairs too, the recipes do not. What follows from these tables is in
[defaults](defaults.md).
"""


def figure(result, part, path):
    value = result[part]
    for key in path.split("/"):
        value = value[key]
    return value


class Suite:
    def __init__(self, options):
        self.options = options
        plan = tomllib.loads((HERE / "recipes.toml").read_text())[options.task]
        self.plan = plan
        self.metric = plan["metric"]
        usual = ",".join(name for name, dataset in plan["datasets"].items() if not dataset.get("apart"))
        self.datasets = self.chosen(plan["datasets"], options.only or usual)
        every = dict(plan["recipes"], tune=TUNE)
        takes = every if options.what != "run" else plan["recipes"]  # the search is run where it is named
        self.recipes = self.chosen(every, options.recipes or ",".join(takes))
        self.table = pathlib.Path(options.table or HERE / f"{options.task}.jsonl")
        self.rows = {}
        if self.table.exists():
            for line in self.table.read_text().splitlines():
                row = json.loads(line)
                self.rows[row["dataset"], row["flags"], row["seed"]] = row

    @staticmethod
    def chosen(known, names):
        if not names:
            return known
        unknown = [n for n in names.split(",") if n not in known]
        if unknown:
            sys.exit(f"suite: no {unknown[0]!r}; there are {', '.join(known)}")
        return {n: known[n] for n in names.split(",")}

    def fill_in(self, text):
        scratch = self.options.scratch
        for name, value in (("data", os.environ.get("MCNS_DATA", "")), ("scratch", scratch), ("mcns", self.options.mcns)):
            text = text.replace("{" + name + "}", value)
        return text

    def run(self):
        if "MCNS_DATA" not in os.environ:
            sys.exit("suite: set MCNS_DATA to the folder of datasets")
        os.makedirs(self.options.scratch, exist_ok=True)
        seeds = range(1, self.options.seeds + 1)
        todo = [
            (name, recipe, seed)
            for seed in seeds
            for name in self.datasets
            for recipe, flags in self.recipes.items()
            if (name, flags, seed) not in self.rows
        ]
        prepared = set()
        for count, (name, recipe, seed) in enumerate(todo, 1):
            dataset = self.datasets[name]
            if "prepare" in dataset and name not in prepared:
                subprocess.run(self.fill_in(dataset["prepare"]), shell=True, check=True)
                prepared.add(name)
            row = self.run_one(name, self.recipes[recipe], seed)
            print(f"{count}/{len(todo)} {name} {recipe} seed {seed}: {self.text(row)}", flush=True)

    def text(self, row):
        if "error" in row:
            return row["error"]
        return f"valid {row['valid']}, test {row['test']}, {row['seconds']:.0f} s"

    def run_one(self, name, flags, seed):
        command = [self.options.mcns, "run", "--task", self.options.task, "--json", "--quiet"]
        command += ["--seed", str(seed), "--threads", str(self.options.threads)]
        command += self.fill_in(self.datasets[name]["flags"]).split() + flags.split()
        out = subprocess.run(command, capture_output=True, text=True)
        row = {"dataset": name, "flags": flags, "seed": seed}
        if out.returncode == 130 or out.returncode < 0:  # interrupted: not a result
            sys.exit(f"suite: {name} {flags} was stopped; start again to go on")
        if out.returncode != 0:
            row["error"] = (out.stderr.strip().splitlines() or ["?"])[-1]
        else:
            result = json.loads(out.stdout)
            has_valid = bool(result.get("valid"))
            row["valid"] = round(figure(result, "valid", self.metric), 5) if has_valid else None
            row["test"] = round(figure(result, "test", self.metric), 5)
            if "recall@20" in result["test"]:
                row["recall@20"] = round(result["test"]["recall@20"], 5)
            row["seconds"] = round(result["train_seconds"], 1)
        with open(self.table, "a") as table:
            table.write(json.dumps(row) + "\n")
        self.rows[name, flags, seed] = row
        return row

    def means(self, part):
        """Dataset -> recipe -> mean figure over seeds; recipes that failed have 0."""
        out = {}
        for name in self.datasets:
            for recipe, flags in self.recipes.items():
                rows = [r for (d, f, s), r in sorted(self.rows.items(), key=str) if d == name and f == flags]
                if not rows:
                    continue
                if part == "valid" and all(r.get("valid") is None for r in rows):
                    rows = rows[:1]  # no validation part: the first seed chooses
                    values = [r.get("test", 0) for r in rows]
                else:
                    values = [r.get(part) or 0 for r in rows]
                out.setdefault(name, {})[recipe] = statistics.mean(values)
        return out

    def shared(self):
        """Recipes that every dataset has run."""
        valid = self.means("valid")
        return [r for r in self.recipes if r != "tune" and all(r in valid[d] for d in valid)]

    def regrets(self):
        """Two tables, a line each: what the datasets choose for the one left out, and every recipe's regret."""
        valid, test = self.means("valid"), self.means("test")
        shared = self.shared()

        def regret(values, name, recipe):
            return 1 - values[name][recipe] / max(values[name][r] for r in shared)

        def chosen_by(names):
            return min(shared, key=lambda r: (max(regret(valid, d, r) for d in names), r))

        yield "| dataset | best recipe there | chosen by the others | its regret | default | its regret | `--tune 20` | default against it |"
        yield "|---|---|---|---|---|---|---|---|"
        losses, of_default = [], []
        for name in valid:
            best = max(shared, key=lambda r: test[name][r])
            other = chosen_by([d for d in valid if d != name])
            losses.append(regret(test, name, other))
            of_default.append(regret(test, name, "default"))
            tuned, default = test[name].get("tune"), test[name]["default"]
            against = f"{tuned:.4f} | {100 * (1 - default / tuned):+.1f} %" if tuned else "not run | "
            yield (
                f"| {name} | {best}, {test[name][best]:.4f} | {other}, {test[name][other]:.4f} | {100 * losses[-1]:.1f} % | "
                f"{default:.4f} | {100 * of_default[-1]:.1f} % | {against} |"
            )
        yield ""
        for what, values in (("what the others choose", losses), ("the default", of_default)):
            yield f"Regret of {what}: worst {100 * max(values):.1f} %, median {100 * statistics.median(values):.1f} %."
        yield ""
        yield "| recipe | flags | worst regret | median | where |"
        yield "|---|---|---|---|---|"
        for recipe in sorted(shared, key=lambda r: max(regret(test, d, r) for d in valid)):
            worst = max(valid, key=lambda d: regret(test, d, recipe))
            all_of_it = [regret(test, d, recipe) for d in valid]
            flags = f"`{self.recipes[recipe]}`" if self.recipes[recipe] else ""
            yield (
                f"| {recipe} | {flags} | {100 * max(all_of_it):.1f} % | "
                f"{100 * statistics.median(all_of_it):.1f} % | {worst} |"
            )

    def pairs(self):
        names = list(self.recipes) if self.options.recipes else self.plan.get("pairs", [])
        if len(names) % 2:
            sys.exit("suite: pairs takes an even number of --recipes")
        yield "| dataset | | seeds | first | second | difference ± standard error |"
        yield "|---|---|---|---|---|---|"
        datasets = self.datasets if self.options.only else self.plan["datasets"]
        for name in datasets:
            for first, second in zip(names[::2], names[1::2]):
                rows = [
                    {s: r["test"] for (d, f, s), r in self.rows.items() if (d, f) == (name, self.recipes[recipe]) and "test" in r}
                    for recipe in (first, second)
                ]
                both = [(value, rows[1][seed]) for seed, value in rows[0].items() if seed in rows[1]]
                if len(both) < 2:
                    continue
                gaps = [a - b for a, b in both]
                error = statistics.stdev(gaps) / len(gaps) ** 0.5
                yield (
                    f"| {name} | {first}, {second} | {len(both)} | {statistics.mean(a for a, _ in both):.4f} | "
                    f"{statistics.mean(b for _, b in both):.4f} | {statistics.mean(gaps):+.4f} ± {error:.4f} |"
                )


def page(options):
    print(PAGE, end="")
    for options.task, title in TITLES.items():
        suite = Suite(options)
        datasets, recipes = len(suite.means("test")), len(suite.shared())
        print(f"\n## {title}\n\n{datasets} datasets, {recipes} recipes, {len(suite.rows)} runs; the figure is `{suite.metric}`.\n")
        print(*suite.regrets(), sep="\n")
        if suite.plan.get("pairs"):
            print("\nSamplers of the same distribution, means over seeds, paired by seed:\n")
            print(*suite.pairs(), sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "regret", "pairs", "page"])
    parser.add_argument("task", nargs="?", choices=list(TITLES))
    parser.add_argument("--mcns", default="build/release/mcns")
    parser.add_argument("--table")
    parser.add_argument("--scratch", default="out/suite")
    parser.add_argument("--only", help="datasets")
    parser.add_argument("--recipes")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_intermixed_args()
    if options.what == "page":
        page(options)
        return
    if options.task is None:
        parser.error("name a task")
    suite = Suite(options)
    if options.what == "run":
        suite.run()
    else:
        print(*(suite.regrets() if options.what == "regret" else suite.pairs()), sep="\n")


if __name__ == "__main__":
    main()
