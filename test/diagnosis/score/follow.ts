import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Design, type NodeRole, WORKER_ROLES } from '../../../src/design/model.ts';
import { nodesWithRole } from '../../../src/design/names.ts';
import type { Diagnosis } from '../../../src/diagnosis/causes/diagnose.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { sitePaths } from '../../../src/rehearsal/site/files.ts';
import { isAtLeast, releaseFacts } from '../../../src/rehearsal/site/versions.ts';
import { createConsole } from '../../../src/rehearsal/stand-in/console.ts';
import { waitForBootstrapComplete } from '../../../src/rehearsal/stand-in/wait-for-bootstrap.ts';
import { waitForInstallComplete } from '../../../src/rehearsal/stand-in/wait-for-install.ts';
import { bootstrapStep } from '../../../src/steps/bootstrap/index.ts';
import { certificatesStep } from '../../../src/steps/certificates/index.ts';
import { ALL_EXPECTED } from '../../../src/steps/certificates/subjects.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { diagnoseNow } from '../../../src/steps/diagnose/index.ts';
import { type Facts, memoryOver } from '../../../src/steps/facts.ts';
import { newRecollection } from '../../../src/steps/recollection.ts';
import { UNLOGGED } from '../../../src/steps/shared/acts.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { turn } from '../../support/manual-clock.ts';
import { type PlantedSite, plantedSite } from '../../support/planted-site.ts';

/** Milliseconds of the site between two turns while somebody of ours waits for an answer: no time-out ends before what it waits for. */
const SLOWLY = 100;
/** And where nobody waits for anything, and days pass. */
const LONG_STEP = 30_000;
const MINUTE = 60_000;

/** A rehearsal in this process, and a person who follows the wizard in it. */
export interface FollowedSite {
  readonly game: PlantedSite;
  readonly context: StepContext;
  /** Powers on the bootstrap and the control plane (or these), and has openshift-install wait. */
  readonly boot: (roles?: readonly NodeRole[]) => void;
  /** Takes the bootstrap away, powers on the other nodes, and has openshift-install wait again; approves what is expected from now on. */
  readonly goOn: () => Promise<void>;
  /** Lets minutes pass, and looks at the screens now and then. */
  readonly pass: (minutes: number, isOver?: () => boolean) => Promise<void>;
  /** Lets minutes pass in which nobody looks. */
  readonly skip: (minutes: number) => Promise<void>;
  /** What `upi-wizard diagnose` finds now. */
  readonly diagnose: () => Promise<Diagnosis[]>;
  /** What openshift-install has written to its log by now. */
  readonly installerLog: () => string;
  readonly close: () => Promise<void>;
}

/** How often the person looks at the screen, minutes. */
const LOOKS_EVERY = 2;

export async function followedSite(design: Design, faults: readonly FaultId[], seed = 1): Promise<FollowedSite> {
  const game = await plantedSite(design, faults, seed);
  const { clock, site, reach, installDir } = game;
  const paths = sitePaths(game.siteDir);
  const release = releaseFacts(design.openshift.version, design.openshift.architecture);
  const place = workspace(installDir);
  mkdirSync(place.state, { recursive: true });
  const facts: Facts = { stage: 'install' };
  const stopping = new AbortController();
  const context: StepContext = {
    design,
    dir: installDir,
    clock,
    reach,
    hands: {
      isPerson: false,
      putInPlace: async () => 'done',
      powerOn: async () => 'done',
      powerOff: async () => 'done',
      runOnHost: null,
      repairing: null,
      readFile: async (host, path) => site.readFile(host, path),
    },
    programPath: [paths.bin],
    imagesDir: paths.images,
    hostsDir: paths.hosts,
    credentials: { pullSecretFile: paths.pullSecret, sshKeyFile: paths.sshKey, trustBundleFile: null },
    programs: { bootServer: '', executable: '' },
    clockAnchorFile: null,
    memory: memoryOver(facts),
    recollection: newRecollection(),
    acts: UNLOGGED,
    signal: stopping.signal,
  };
  context.memory.set('put-files', Object.fromEntries(game.hosts().map((host) => [host, 'x'])));

  const out = createConsole({ clock, dir: installDir, level: 'fatal', isQuoted: !isAtLeast(release, 4, 6) });
  const waiting = { dir: installDir, clock, reach, release, out };
  const quietly = (running: Promise<unknown>) => void running.catch(() => undefined);
  let isApproving = false;

  /** Time goes on while something of ours is under way. */
  async function during<T>(running: Promise<T>): Promise<T> {
    let isOver = false;
    const end = running.finally(() => {
      isOver = true;
    });
    end.catch(() => undefined);
    while (!isOver) {
      await clock.advance(SLOWLY);
      for (let turns = 0; turns < 6; turns += 1) await turn();
      // Programs need their own time, in which the site must not get far.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return await end;
  }

  function powerOn(...roles: readonly NodeRole[]): void {
    for (const { name } of nodesWithRole(design, ...roles)) {
      context.memory.set('powered-on', { ...context.memory.get('powered-on'), [name]: clock.now() });
      site.powerOn(name);
    }
  }

  return {
    game,
    context,
    boot(roles = ['bootstrap', 'control-plane']) {
      powerOn(...roles);
      if (roles.includes('bootstrap')) quietly(waitForBootstrapComplete(waiting));
    },
    async goOn() {
      await during(bootstrapStep.probe(context));
      // Infra nodes are in the pools before the first router may come to one of them.
      for (const stage of ['bootstrap-removed', 'infra-added'] as const) {
        if (stage === 'infra-added' && nodesWithRole(design, 'infra').length === 0) continue;
        await game.put(stage, true);
        context.memory.set('stage', stage);
      }
      for (const { name } of nodesWithRole(design, 'bootstrap')) site.powerOff(name);
      powerOn(...WORKER_ROLES);
      quietly(waitForInstallComplete(waiting));
      isApproving = true;
    },
    async pass(minutes, isOver = () => false) {
      const end = clock.now() + minutes * MINUTE;
      while (clock.now() < end && !isOver()) {
        await game.pass(LOOKS_EVERY);
        if (!isApproving) continue;
        const approved = certificatesStep.applyOne?.(context, ALL_EXPECTED, () => undefined);
        await during(Promise.resolve(approved).catch(() => undefined));
        await during(certificatesStep.probe(context));
      }
    },
    skip: (minutes) => game.pass(minutes, LONG_STEP),
    diagnose: () => during(diagnoseNow(context)),
    installerLog() {
      const file = join(installDir, '.openshift_install.log');
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    async close() {
      stopping.abort();
      await game.close();
    },
  };
}
