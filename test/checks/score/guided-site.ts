import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnosis } from '../../../src/checks/rules/index.ts';
import type { NodeRole } from '../../../src/design/choices.ts';
import { WORKER_ROLES } from '../../../src/design/choices.ts';
import { listNodesWithRole } from '../../../src/design/derived-facts.ts';
import type { Design } from '../../../src/design/model.ts';
import { isVersionAtLeast } from '../../../src/design/versions.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { getSitePaths } from '../../../src/rehearsal/site/files.ts';
import { deriveReleaseMetadata } from '../../../src/rehearsal/site/release-metadata.ts';
import { createInstallerLog } from '../../../src/rehearsal/stand-in/installer-log.ts';
import { waitForBootstrapComplete, waitForInstallComplete } from '../../../src/rehearsal/stand-in/wait-for.ts';
import { NO_AUDIT_LOG } from '../../../src/session/audit-log.ts';
import { bootstrapStep } from '../../../src/steps/bootstrap.ts';
import { certificatesStep } from '../../../src/steps/certificates/index.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { diagnoseInstallation } from '../../../src/steps/diagnose/index.ts';
import { createProbeCache } from '../../../src/steps/probe-cache.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { createStepState, type StepFacts } from '../../../src/steps/step-state.ts';
import { nextTurn } from '../../support/manual-clock.ts';
import { createPlantedSite, type PlantedSite } from '../../support/planted-site.ts';
import { SITE_CAPABILITIES } from '../../support/step-fixture.ts';

/**
 * Site time per turn while the wizard waits for an answer, ms: short enough that no timeout ends before the answer
 * comes.
 */
const SHORT_STEP = 100;
/** Site time per turn while nothing is awaited and days pass, ms. */
const LONG_STEP = 30_000;
const MINUTE = 60_000;

/** A rehearsal in this process, with a user who follows the wizard. */
export interface GuidedSite {
  readonly rehearsal: PlantedSite;
  readonly context: StepContext;
  /** Powers on the bootstrap and the control plane, or the given roles, and starts openshift-install's wait. */
  readonly boot: (roles?: readonly NodeRole[]) => void;
  /**
   * Removes the bootstrap, powers on the other nodes and starts openshift-install's next wait. Expected requests are
   * approved from then on.
   */
  readonly continueInstall: () => Promise<void>;
  /** Lets minutes pass, with a probe of the screens from time to time. */
  readonly pass: (minutes: number, isOver?: () => boolean) => Promise<void>;
  /** Lets minutes pass without any probe. */
  readonly skip: (minutes: number) => Promise<void>;
  /** Returns what `upi-wizard diagnose` finds at this moment. */
  readonly diagnose: () => Promise<Diagnosis[]>;
  /** Returns openshift-install's log so far. */
  readonly installerLog: () => string;
  readonly close: () => Promise<void>;
}

/** How often the user probes the cluster, minutes. */
const PROBE_INTERVAL = 2;

/** Starts a site with planted faults and the context of the wizard's steps on it; nothing is powered on yet. */
export async function startGuidedSite(design: Design, faults: readonly FaultId[], seed = 1): Promise<GuidedSite> {
  const rehearsal = await createPlantedSite(design, faults, seed);
  const { clock, site, resolveEndpoint, installDir } = rehearsal;
  const paths = getSitePaths(rehearsal.siteDir);
  const release = deriveReleaseMetadata(design.openshift.version, design.openshift.architecture);
  const workspacePaths = workspace(installDir);
  mkdirSync(workspacePaths.stateDir, { recursive: true });
  const facts: StepFacts = { stage: 'install' };
  const abortController = new AbortController();
  const context: StepContext = {
    design,
    dir: installDir,
    clock,
    resolveEndpoint,
    manualActions: {
      ...SITE_CAPABILITIES,
      installHostFiles: async () => undefined,
      powerOn: async () => undefined,
      powerOff: async () => undefined,
      readFile: async (host, path) => site.readFile(host, path),
    },
    programDirectories: [paths.bin],
    imagesDir: paths.images,
    hostsDir: paths.hosts,
    credentials: {
      pullSecretFile: paths.pullSecret,
      sshKeyFile: paths.sshKey,
      trustBundleFile: null,
      fencingFile: design.topology === 'fencing' ? paths.fencing : null,
    },
    programs: { bootServer: '', executable: '' },
    clockAnchorFile: null,
    stepState: createStepState(facts),
    probeCache: createProbeCache(),
    auditLog: NO_AUDIT_LOG,
    signal: abortController.signal,
  };
  context.stepState.set('put-files', Object.fromEntries(rehearsal.hosts().map((host) => [host, 'x'])));

  const out = createInstallerLog({
    clock,
    dir: installDir,
    level: 'fatal',
    isQuoted: !isVersionAtLeast(release.version, '4.6'),
  });
  const waitOptions = { dir: installDir, clock, resolveEndpoint, release, out };
  const ignoreFailure = (task: Promise<unknown>) => void task.catch(() => undefined);
  let isApproving = false;

  /** Advances the clock until the task has ended. */
  async function advanceUntilDone<T>(task: Promise<T>): Promise<T> {
    let isOver = false;
    const end = task.finally(() => {
      isOver = true;
    });
    end.catch(() => undefined);
    while (!isOver) {
      await clock.advance(SHORT_STEP);
      for (let turns = 0; turns < 6; turns += 1) await nextTurn();
      // Child programs need real time, in which the site must not get far.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return await end;
  }

  function powerOn(...roles: readonly NodeRole[]): void {
    for (const { name } of listNodesWithRole(design, ...roles)) {
      context.stepState.set('powered-on', { ...context.stepState.get('powered-on'), [name]: clock.now() });
      site.powerOn(name);
    }
  }

  return {
    rehearsal,
    context,
    boot(roles = ['bootstrap', 'control-plane']) {
      powerOn(...roles);
      if (roles.includes('bootstrap')) ignoreFailure(waitForBootstrapComplete(waitOptions));
    },
    async continueInstall() {
      await advanceUntilDone(bootstrapStep.probe(context));
      // Infra nodes are added to the pools before the first router can move to one of them.
      for (const stage of ['bootstrap-removed', 'infra-added'] as const) {
        if (stage === 'infra-added' && listNodesWithRole(design, 'infra').length === 0) continue;
        await rehearsal.installStage(stage, true);
        context.stepState.set('stage', stage);
      }
      for (const { name } of listNodesWithRole(design, 'bootstrap')) site.powerOff(name);
      powerOn(...WORKER_ROLES);
      ignoreFailure(waitForInstallComplete(waitOptions));
      isApproving = true;
    },
    async pass(minutes, isOver = () => false) {
      const end = clock.now() + minutes * MINUTE;
      while (clock.now() < end && !isOver()) {
        await rehearsal.passMinutes(PROBE_INTERVAL);
        if (!isApproving) continue;
        const approval = certificatesStep.applyOne?.(context, { kind: 'expected-requests' }, () => undefined);
        await advanceUntilDone(Promise.resolve(approval).catch(() => undefined));
        await advanceUntilDone(certificatesStep.probe(context));
      }
    },
    skip: (minutes) => rehearsal.passMinutes(minutes, LONG_STEP),
    diagnose: () => advanceUntilDone(diagnoseInstallation(context).then(({ diagnoses }) => [...diagnoses])),
    installerLog() {
      const file = join(installDir, '.openshift_install.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    async close() {
      abortController.abort();
      await rehearsal.close();
    },
  };
}
