import type { Reporter, TestModule } from 'vitest/node';

/** Prints the names of skipped tests and, as the very last line of a run, `N passed, N failed, N skipped`. */
// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const skipped: string[] = [];
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      const before = passed + failed + skipped.length;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (state === 'passed') passed += 1;
        else if (state === 'skipped') skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
        else failed += 1;
      }
      // A file that broke before its tests were collected counts as one failure.
      if (before === passed + failed + skipped.length && module.state() === 'failed') failed += 1;
    }
    const lines = skipped.map((name) => `skipped: ${name}`);
    lines.push(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
    process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}
