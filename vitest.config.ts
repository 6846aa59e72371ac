import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends what hangs, and nothing else: no test is judged by how long it takes. */
const HANGS = 600_000;
/**
 * What takes longest of each group, the longest first: begun last, each would run alone on one core at the end.
 */
const LONGEST = [
  'system/network-boot',
  'system/hosts',
  'system/export-ansible',
  'system/torture',
  'system/host-script',
  'e2e/kill',
  'e2e/readme',
  'e2e/hand-over',
  'cli/infra.system',
  'e2e/faults',
  'rehearsal/faults/bootstrap.system',
  'e2e/cloud',
  'e2e/tui',
  'system/firewall',
  'e2e/lines',
  'cli/csr/follower.system',
  'e2e/later-nodes',
  'rehearsal/faults/cluster.system',
  'rehearsal/site/site.system',
  'e2e/endings',
  'rehearsal/lost-sites.system',
  'e2e/two-terminals',
  'cli/main.system',
  'rehearsal/site/traffic.system',
  'system/large-site',
  'system/dhcp-answers',
  'system/check',
  'session/lock.system',
  'system/keepalived',
  'moves/every-move.system',
  'e2e/plain',
  // Screens wait for their frames; what computes fills the time between.
  'moves/every-move',
  'screens/pseudo-language',
  'steps/infra/moves',
  'screens/uncut-overlays',
  'moves/unasked',
  'screens/frames',
  'steps/infra/undo',
  'screens/uncut',
  'design/properties',
  'screens/help',
  'steps/diagnose/bundle-scenes',
  'screens/screens',
  'design/hostile',
  'screens/burst',
  'text/languages',
];
/** What Node made of sources, which it loads in every worker and run, and starts programs from, hundreds of times. */
const COMPILED = join(import.meta.dirname, 'node_modules/.cache/node');
/** What works with programs waits half of its time: more workers than cores keep these busy. */
const BESIDE_PROGRAMS = { maxWorkers: 6, sequence: { groupOrder: 1 } };

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.includes(`/${name}.test.`));
      return found === -1 ? LONGEST.length : found;
    };
    // A worker goes on with files of its project, and would be started anew for another.
    const byProject = (one: TestSpecification, other: TestSpecification) =>
      Number(other.project.name > one.project.name) - Number(other.project.name < one.project.name);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other) || byProject(one, other));
  }
}

/**
 * Where unit tests make their files: in memory, where this machine has room there for programs as well. They make thousands, each
 * synced as the product does it; that a disk then has them is the torture table's matter.
 */
function inMemory(): { readonly TMPDIR?: string } {
  const dir = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(dir);
    const runsPrograms = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'));
    return process.env.TMPDIR === undefined && runsPrograms && bavail * bsize > 2 ** 30 ? { TMPDIR: dir } : {};
  } catch {
    return {};
  }
}

/** What is beside what it tests and is no unit test: see CONTRIBUTING. */
const SYSTEM = 'test/**/*.system.test.{ts,tsx}';

const shared = {
  // A worker loads what tests share once, and not once a file.
  isolate: false,
  // Node itself loads all sources (test/support/loader.ts): Vite's loader, which can replace modules, costs a tenth of the whole.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['./test/support/loader.ts', './test/support/language.ts'],
  testTimeout: HANGS,
  hookTimeout: HANGS,
  expect: { poll: { timeout: 300_000, interval: 20 } },
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/system/**', 'test/e2e/**', SYSTEM],
          env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: COMPILED, ...inMemory() },
          // Some of them wait: more workers than cores keep these busy. Each more loads and compiles all modules once more.
          maxWorkers: 3,
          // Most of what they run is run a few times: V8's last compiler takes longer than its code saves.
          execArgv: ['--no-opt'],
        },
      },
      {
        test: {
          ...shared,
          name: 'system',
          ...BESIDE_PROGRAMS,
          include: ['test/system/**/*.test.ts', SYSTEM],
          maxConcurrency: 3,
          env: { NODE_COMPILE_CACHE: COMPILED },
        },
      },
      {
        // In one group with `system`: one after the other, the end of each would leave cores idle.
        test: {
          ...shared,
          ...BESIDE_PROGRAMS,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
        },
      },
    ],
  },
});
