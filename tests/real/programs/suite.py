"""suite.py MODULE PATTERN...: runs the tests of test.MODULE whose id matches one of the patterns, in order of their ids,
all of them when LONG=1, and prints what became of each."""
import fnmatch
import os
import sys
import unittest

from test import support

# What hangs or asks for more than a scratch machine has, traced or not.
NEVER = ("*VSOCK*", "*largefile*", "*LargeFile*", "*bigmem*")


def flat(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def wanted(test, patterns):
    name = test.id()
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in NEVER):
        return False
    return os.environ["LONG"] == "1" or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


class Outcomes(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.outcome = "ok"

    def addError(self, test, err):
        super().addError(test, err)
        self.outcome = "error"

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.outcome = "fails"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcome = "skipped"

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.outcome = "fails"

    def stopTest(self, test):
        super().stopTest(test)
        print(test.id(), self.outcome, flush=True)


def main():
    support.verbose = False
    module, patterns = sys.argv[1], sys.argv[2:]
    tests = flat(unittest.defaultTestLoader.loadTestsFromName("test." + module))
    chosen = sorted((test for test in tests if wanted(test, patterns)), key=lambda test: test.id())
    result = unittest.TextTestRunner(resultclass=Outcomes, stream=sys.stderr).run(unittest.TestSuite(chosen))
    print(result.testsRun, "tests")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
