import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { powerChanges, powerInstructions, powerOn } from '../boot/index.ts';
import type { Change, Probe, Step, StepContext } from '../contract.ts';
import { followJob } from '../shared/follow-job.ts';
import { applyStage, stageChanges } from '../shared/hosts/load-balancer.ts';
import { serve } from '../shared/machines/serving.ts';
import { approveByName, follow } from './follow.ts';
import { certificatePage } from './page.ts';
import { type CertificatesView, isBalancerBehind, machinesOff, seeCertificates } from './seen.ts';

const words = () => catalogue().steps.certificates;

/**
 * Boots the nodes that join the control plane, and approves the requests that fit the design, as they appear, until every
 * node has joined. A request that does not fit is
 * shown and left alone: nothing is denied, and nothing else is approved without a person naming it.
 */
export const certificatesStep: Step<CertificatesView> = {
  id: 'certificates',
  lookEvery: 3 * SECOND,
  patience: 60 * MINUTE,
  probe: lookAtAll,
  async plan(context, { view }) {
    const machines = machinesOff(context, view);
    const balancer = isBalancerBehind(context) ? await stageChanges(context, 'infra-added') : [];
    return {
      changes: [...powerChanges(context.design, machines), ...changesOf(view), ...balancer],
      isDangerous: true,
      instructions: powerInstructions(context, machines),
    };
  },
  async apply(context, report) {
    // Infra nodes are compute nodes at first: a router may land on one before the moves, and must be reachable there.
    if (isBalancerBehind(context)) await applyStage(context, 'infra-added', report);
    await serve(context, report);
    await powerOn(context, machinesOff(context, (await seeCertificates(context)).view), report);
    await follow(context, report);
  },
  applyOne: approveByName,
  show: certificatePage,
  verify: lookAtAll,
};

/** Where a job approves what is expected, that is said as well: requests are approved then and nobody pressed a key. */
async function lookAtAll(context: StepContext): Promise<Probe<CertificatesView>> {
  const [seen, job] = await Promise.all([seeCertificates(context), followJob(context)]);
  return job?.state === 'running' ? { ...seen, remark: words().inBackground } : seen;
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
