import { bootUrl } from '../../artifacts/shared/layout.ts';
import { findingOf } from '../../diagnosis/finding.ts';
import { lifeOf } from '../../diagnosis/prepare/expiry.ts';
import { PREPARE } from '../../diagnosis/prepare/index.ts';
import {
  gateFindings,
  mustBeginAnew,
  openImages,
  type PrepareView,
  prepareItems,
  siteFindings,
} from '../../diagnosis/prepare/items.ts';
import { judge } from '../../diagnosis/rule.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Change, Plan, Probe, Step, StepContext } from '../contract.ts';
import { jobFindings, logoutFindings } from '../shared/job-findings.ts';
import { isInstalled } from '../shared/machines/later-nodes.ts';
import { BOOT_SERVER_JOB, serve } from '../shared/machines/serving.ts';
import { overridesOf } from '../shared/overrides.ts';
import { workspace } from '../shared/workspace.ts';
import { evidenceOf, gather, isAnsweredForSure, type PrepareFacts } from './facts.ts';
import { assertOpen, closedChecks, overrideChecks } from './gate.ts';
import { applyForLater, planForLater, probeForLater } from './later.ts';
import { beginAnew, fetchImages, fetchPrograms, isSchedulable, makeIgnition } from './make.ts';
import { forgetSite, sitePhases } from './site.ts';

const words = () => catalogue().steps.prepare;
const findingWords = () => catalogue().diagnosis.prepare;

/** From the design to served ignition files: program and images, manifests, certificates, boot server. */
export const prepareStep: Step<PrepareView> = {
  id: 'prepare',
  lookEvery: 10 * SECOND,
  patience: 5 * 60 * SECOND,
  probe,
  async plan(context) {
    return isInstalled(context) ? await planForLater(context) : planOf(context, await gather(context));
  },
  async apply(context, report) {
    if (isInstalled(context)) return await applyForLater(context, report);
    await assertOpen(context);
    let facts = await gather(context);
    if (facts.program === null) {
      await fetchPrograms(context, report);
      facts = await gather(context);
    }
    if (openImages(facts.imageStates).length > 0) await fetchImages(context, facts.sources, report);
    if (mustBeginAnew(facts)) {
      report(words().askAgain);
      if (await isAnsweredForSure(context)) throw alive(context);
      await beginAnew(context, report);
    }
    await makeIgnition(context, report);
    await serve(context, report);
    forgetSite(context);
  },
  async override(context, reason, report) {
    const facts = await gather(context);
    await overrideChecks(context, reason, isServed(facts), report);
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<PrepareView>> {
  if (isInstalled(context)) return await probeForLater(context);
  const [facts, phases, server, logout] = await Promise.all([
    gather(context),
    sitePhases(context),
    jobFindings(context, BOOT_SERVER_JOB),
    logoutFindings(context, BOOT_SERVER_JOB),
  ]);
  const { directory } = facts;
  const open = openImages(facts.imageStates).length;
  const evidence = evidenceOf(context, facts);
  const config = facts.configTrouble === null ? [] : [findingOf(facts.configTrouble)];
  const closed = closedChecks(context, phases, isServed(facts));
  const site = closed.length > 0 ? gateFindings(closed) : siteFindings(phases, overridesOf(context));
  const judged = judge(PREPARE, evidence);
  const made = [...judged, ...config, ...server, ...logout];
  // What nothing goes on without is read first.
  const findings = closed.length > 0 ? [...site, ...made] : [...made, ...site];
  const view: PrepareView = { items: prepareItems(evidence, judged), expiresAt: directory.expiresAt, phases };
  const needed = (summary: string) => ({ state: 'needed', summary, view, findings }) as const;
  const fatal = findings.find(({ severity }) => severity === 'fatal');
  if (fatal) return { state: 'blocked', summary: fatal.title, overridable: closed, view, findings };
  if (facts.program === null) return needed(findingWords()['installer-missing'].title);
  if (open > 0) return needed(words().imagesNeeded(facts.imageStates.length));
  if (mustBeginAnew(facts)) return needed(whySpent(facts));
  if (directory.state !== 'ignition') return needed(words().needed);
  if (facts.isServing && !facts.isServerCurrent) return needed(words().serverOutdated);
  if (!facts.isServing) return needed(words().serverNeeded);
  const life = lifeOf((directory.expiresAt ?? 0) - context.clock.now());
  return { state: 'done', summary: words().ignitionReady(life), view, findings };
}

/** What machines boot with is made and served: the checks of it count from now on. */
function isServed(facts: PrepareFacts): boolean {
  return facts.directory.state === 'ignition' && !mustBeginAnew(facts) && facts.isServing && facts.isServerCurrent;
}

function whySpent({ directory, isOfOtherConfig }: PrepareFacts): string {
  if (isOfOtherConfig) return findingWords()['install-config-changed'].title;
  return findingWords()[directory.state === 'mixed' ? 'install-dir-used' : 'ignition-expired'].title;
}

function alive({ dir }: StepContext): TroubleError {
  return new TroubleError({ code: 'install-dir-alive', ...findingWords()['install-dir-alive'], cause: dir });
}

/** The plan asks a person before it fetches or replaces anything. */
function planOf(context: StepContext, facts: PrepareFacts): Plan {
  const { openshift, topology } = context.design;
  const change = (object: string, what: string): Change => ({ object, what, before: null, after: null });
  const mustFetchProgram = facts.program === null;
  const open = openImages(facts.imageStates).length;
  const isAnew = mustBeginAnew(facts);
  const make = [
    change('install-config.yaml', words().change.config),
    change('manifests/', words().change.manifests),
    change('manifests/cluster-scheduler-02-config.yml', words().change.schedulable(isSchedulable(context))),
    change('*.ign, auth/', words().change.ignition(topology === 'single-node')),
  ];
  const aside = [
    change(context.dir, words().change.aside(workspace(context.dir).aside)),
    change(words().change.machines, words().change.bootAnew),
  ];
  return {
    changes: [
      ...(mustFetchProgram ? [change('openshift-install, oc', words().fetch.programs(openshift.version))] : []),
      ...(open > 0 ? [change('images/', words().fetch.images(open, context.imagesDir))] : []),
      ...(isAnew ? aside : []),
      ...(facts.directory.state === 'ignition' && !isAnew ? [] : make),
      change('boot-server', words().change.server(bootUrl(context.design))),
    ],
    isDangerous: mustFetchProgram || open > 0 || isAnew,
    instructions: [],
  };
}
