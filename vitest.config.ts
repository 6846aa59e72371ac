import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Ends tests that hang. No test is judged by its duration. */
const HANG_TIMEOUT = 1_200_000;
/** The slowest files of each group, the slowest first: started last, each would run alone on one core at the end. */
const SLOWEST_FILES = [
  'system/hosts',
  'system/site-variants',
  'system/network-boot',
  'system/package',
  'system/site-faults-services',
  'system/site-remedies',
  'system/site-later',
  'e2e/kill',
  'system/torture',
  'system/site-faults',
  'e2e/readme',
  'system/export-ansible',
  'rehearsal/faults/running-cluster.system',
  'system/report-page',
  'system/host-script',
  'cli/infra.system',
  'e2e/hand-over',
  'system/old-process',
  'system/mirror',
  'e2e/later-nodes',
  'rehearsal/faults/bootstrap.system',
  'e2e/contract',
  'e2e/faults',
  'system/large-answers',
  'e2e/dead-node',
  'cli/csr/follower.system',
  'system/certificates',
  'cli/main.system',
  'e2e/diagnose',
  'e2e/tui',
  'e2e/cloud',
  'e2e/lines',
  'system/dhcp-answers',
  'e2e/plain',
  'e2e/okd',
  'e2e/two-terminals',
  'rehearsal/site/traffic.system',
  'system/check',
  'system/haproxy-tuning',
  'e2e/endings',
  'e2e/fencing',
  'rehearsal/site/site.system',
  'rehearsal/orphaned-sites.system',
  'steps/shared/moves/move-job.system',
  'cli/csr.system',
  'system/large-site',
  'e2e/versions',
  'system/node-journals',
  'system/firewall',
  'system/keepalived',
  'e2e/arbiter',
  'e2e/single-node-bootstrap',
  // Screens wait for their frames. Tests that compute fill the time between.
  'screens/stable-layout',
  'steps/check/registries',
  'screens/uncut',
  'screens/screens',
  'screens/frames',
  'screens/uncut-overlays',
  'screens/pseudo-language',
  'check-vocabulary',
  'steps/boot/index',
  'screens/help',
  'checks/site',
  'screens/moves',
  'installer/log-buffer',
  'infra/undo',
  'screens/burst',
  'screens/live',
  'steps/certificates/index',
  'infra/moves',
  'steps/hosts/index',
  'infra/every-move',
  'probes/registry-signature',
  'screens/filter',
  'steps/check/silent-servers',
  'steps/generate/index',
  'i18n/languages',
  'steps/diagnose/bundle-scenes',
  'csr/mutations',
  'diagnosis/field/field',
];
/**
 * Node's compile cache: it loads the sources in every worker and run, and starts programs from them, hundreds of times.
 */
const COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/node');
/** Tests with programs wait half of their time: more workers than cores keep the cores busy. */
const PROGRAM_TESTS = { maxWorkers: 6, sequence: { groupOrder: 1 } };

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = SLOWEST_FILES.findIndex((name) => moduleId.includes(`/${name}.test.`));
      return found === -1 ? SLOWEST_FILES.length : found;
    };
    // A worker continues with files of its project. Another project needs a restart.
    const byProject = (one: TestSpecification, other: TestSpecification) =>
      Number(other.project.name > one.project.name) - Number(other.project.name < one.project.name);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other) || byProject(one, other));
  }
}

/**
 * Directory for the files of unit tests: in memory, if there is room and programs can run there. Unit tests create
 * thousands of files, each synced as in the product. The torture table checks that a disk then holds them.
 */
function createMemoryEnv(): { readonly TMPDIR?: string } {
  const dir = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(dir);
    const runsPrograms = !/^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'));
    return process.env.TMPDIR === undefined && runsPrograms && bavail * bsize > 2 ** 30 ? { TMPDIR: dir } : {};
  } catch {
    return {};
  }
}

/** System tests that are stored beside the unit tests of their subject: see CONTRIBUTING. */
const SYSTEM = 'test/**/*.system.test.{ts,tsx}';

const shared = {
  // A worker loads shared modules once, and not once per file.
  isolate: false,
  // Node itself loads all sources (test/support/loader.ts): Vite's loader, which can replace modules, costs a tenth of the whole.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['./test/support/loader.ts', './test/support/language.ts'],
  testTimeout: HANG_TIMEOUT,
  hookTimeout: HANG_TIMEOUT,
  expect: { poll: { timeout: 300_000, interval: 20 } },
};

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/system/**', 'test/e2e/**', SYSTEM],
          env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: COMPILE_CACHE, ...createMemoryEnv() },
          // Some unit tests wait: more workers than cores keep the cores busy. Each worker loads and compiles all
          // modules again.
          maxWorkers: 3,
          // Most of their code runs only a few times: V8's last compiler takes longer than its code saves.
          execArgv: ['--no-opt'],
        },
      },
      {
        test: {
          ...shared,
          name: 'system',
          ...PROGRAM_TESTS,
          include: ['test/system/**/*.test.ts', SYSTEM],
          maxConcurrency: 3,
          env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
        },
      },
      {
        // In one group with `system`: run in sequence, the end of each would leave cores idle.
        test: {
          ...shared,
          ...PROGRAM_TESTS,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
        },
      },
    ],
  },
});
