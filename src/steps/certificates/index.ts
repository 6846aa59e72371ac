import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';

import { powerChanges, powerInstructions, powerOn } from '../boot/index.ts';
import type { PlannedChange, Probe, Step, StepContext } from '../contract.ts';
import { addToBalancer, planBalancerChanges } from '../infra/index.ts';
import { createLiveCluster } from '../shared/cluster-access.ts';
import { FOLLOW_JOB, findFollowJob } from '../shared/follow-job.ts';
import { checkJob } from '../shared/job-checks.ts';
import { startBootServerJob } from '../shared/machines/boot-server-job.ts';
import { approveSelected, approveTargets } from './approve.ts';
import { type CertificatesView, listUnpoweredMachines, probeCertificates } from './certificates-view.ts';
import { followRequests } from './follow.ts';
import type { FollowEvent } from './follow-event.ts';
import { buildCertificatePage } from './page.ts';
import { formatReportLine } from './report-line.ts';
import { ALL_EXPECTED } from './subjects.ts';

export type { CertificatesView };

const words = () => catalogue().steps.certificates;

/**
 * Boots the nodes that join the control plane, and approves the requests that fit the design as they appear, until
 * every node has joined. Shows a request that does not fit and leaves it alone: it denies nothing, and approves nothing
 * else unless the user names it.
 */
export const certificatesStep: Step<CertificatesView> = {
  id: 'certificates',
  probeIntervalMs: 3 * SECOND,
  timeoutMs: 60 * MINUTE,
  probe: probeAll,
  async plan(context, { view }) {
    const machines = listUnpoweredMachines(context, view);
    return {
      changes: [
        ...powerChanges(context.design, machines),
        ...listApprovalChanges(view),
        ...(await planBalancerChanges(context)),
      ],
      isDangerous: true,
      instructions: powerInstructions(context, machines),
    };
  },
  async apply(context, report) {
    await addToBalancer(context, report);
    await startBootServerJob(context, report);
    await powerOn(context, listUnpoweredMachines(context, (await probeCertificates(context)).view), report);
    const live = createLiveCluster(context);
    const emit = (event: FollowEvent) => report(formatReportLine(event));
    await followRequests((look) => look(live), {
      signal: context.signal,
      interval: 3 * SECOND,
      until: 'settled',
      emit,
    });
    context.signal.throwIfAborted();
  },
  applyOne: approveOne,
  show: buildCertificatePage,
  verify: probeAll,
};

/** Also reports whether a job approves expected requests: then they are approved without a key press. */
async function probeAll(context: StepContext): Promise<Probe<CertificatesView>> {
  const [certificates, job, jobProblems] = await Promise.all([
    probeCertificates(context),
    findFollowJob(context),
    checkJob(context, FOLLOW_JOB),
  ]);
  const remark = job?.state === 'running' ? words().inBackground : null;
  return { ...certificates, remark, findings: [...certificates.findings, ...jobProblems] };
}

/**
 * Approves one request that the user selected.
 * @param subject its name; with `/NODE` appended, the user typed the name of the node, which overrules what the design
 * cannot decide; ALL_EXPECTED for all that are expected now
 */
async function approveOne(context: StepContext, subject: string, report: (line: string) => void): Promise<void> {
  const live = createLiveCluster(context);
  const { signal } = context;
  const [name = '', node] = subject.split('/');
  const results =
    subject === ALL_EXPECTED
      ? await approveSelected(live, { names: [], isAllExpected: true, confirm: async () => null, signal })
      : await approveTargets(live, [{ name, uid: null, isByName: node !== undefined }], signal);
  for (const result of results) report(formatReportLine({ type: `request/${result.outcome}`, result }));
}

function listApprovalChanges(view: CertificatesView): PlannedChange[] {
  return view.requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, node, kind }) => ({
      object: node ?? name,
      what: words().approve(name, words().kinds[kind]),
      before: null,
      after: null,
    }));
}
