import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { powerChanges, powerInstructions, powerOn } from '../boot/index.ts';
import type { Change, Probe, Step, StepContext } from '../contract.ts';
import { addToBalancer, balancerChanges } from '../infra/index.ts';
import { liveClusterOf } from '../shared/access.ts';
import { FOLLOW_JOB, followJob } from '../shared/follow-job.ts';
import { jobFindings } from '../shared/job-findings.ts';
import { serve } from '../shared/machines/serving.ts';
import { approve, approveAsked } from './approving.ts';
import { follow } from './follow.ts';
import type { FollowEvent } from './follow-event.ts';
import { certificatePage } from './page.ts';
import { reportLine } from './report-line.ts';
import { type CertificatesView, machinesOff, seeCertificates } from './seen.ts';
import { ALL_EXPECTED } from './subjects.ts';

export type { CertificatesView };

const words = () => catalogue().steps.certificates;

/**
 * Boots the nodes that join the control plane, and approves the requests that fit the design, as they appear, until
 * every node has joined. Shows a request that does not fit and leaves it alone: it denies nothing, and approves nothing
 * else unless a person names it.
 */
export const certificatesStep: Step<CertificatesView> = {
  id: 'certificates',
  lookEvery: 3 * SECOND,
  patience: 60 * MINUTE,
  probe: lookAtAll,
  async plan(context, { view }) {
    const machines = machinesOff(context, view);
    return {
      changes: [...powerChanges(context.design, machines), ...changesOf(view), ...(await balancerChanges(context))],
      isDangerous: true,
      instructions: powerInstructions(context, machines),
    };
  },
  async apply(context, report) {
    await addToBalancer(context, report);
    await serve(context, report);
    await powerOn(context, machinesOff(context, (await seeCertificates(context)).view), report);
    const live = liveClusterOf(context);
    const tell = (event: FollowEvent) => report(reportLine(event));
    await follow((look) => look(live), { signal: context.signal, every: 3 * SECOND, until: 'settled', tell });
    context.signal.throwIfAborted();
  },
  applyOne: approveOne,
  show: certificatePage,
  verify: lookAtAll,
};

/** Says as well whether a job approves expected requests: then they are approved though nobody pressed a key. */
async function lookAtAll(context: StepContext): Promise<Probe<CertificatesView>> {
  const [seen, job, news] = await Promise.all([
    seeCertificates(context),
    followJob(context),
    jobFindings(context, FOLLOW_JOB),
  ]);
  const remark = job?.state === 'running' ? words().inBackground : null;
  return { ...seen, remark, findings: [...seen.findings, ...news] };
}

/**
 * Approves one request that a person picked.
 * @param subject its name; with `/NODE` after it, the person typed the name of the node, which overrules what the
 * design cannot decide; ALL_EXPECTED for all that are expected now
 */
async function approveOne(context: StepContext, subject: string, report: (line: string) => void): Promise<void> {
  const live = liveClusterOf(context);
  const { signal } = context;
  const [name = '', node] = subject.split('/');
  const results =
    subject === ALL_EXPECTED
      ? await approveAsked(live, { names: [], isAllExpected: true, confirm: async () => null, signal })
      : await approve(live, [{ name, uid: null, isByName: node !== undefined }], signal);
  for (const result of results) report(reportLine({ type: `request/${result.outcome}`, result }));
}

function changesOf(view: CertificatesView): Change[] {
  return view.requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, node, kind }) => ({
      object: node ?? name,
      what: words().approve(name, words().kinds[kind]),
      before: null,
      after: null,
    }));
}
