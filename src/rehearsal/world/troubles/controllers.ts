import { WORKER_ROLES } from '../../../design/model.ts';
import { nodesWithRole } from '../../../design/names.ts';
import { apiServiceTrouble } from '../../api/api-services.ts';
import { requestPem } from '../../api/csr-rules.ts';
import { isRecord, type KubeObject, listAt, timestamp } from '../../api/objects.ts';
import { readRequest } from '../../pki.ts';
import { changeStatus, withTransition } from '../conditions.ts';
import { isPending } from '../operators/bootstrap-progress.ts';
import { APPROVER } from '../workloads/plan-added.ts';
import { isPodReady } from '../workloads/pods.ts';
import type { World } from '../world.ts';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';
const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';

/** The aggregator says of each APIService whether it is available. */
export function reportApiServices(world: World): void {
  for (const object of world.store.list(API_SERVICES)) {
    const trouble = apiServiceTrouble(world.store, object);
    const condition = withTransition(world, listAt(object, 'status', 'conditions'), {
      type: 'Available',
      status: trouble === null ? 'True' : 'False',
      reason: trouble?.reason ?? 'Passed',
      message: trouble?.message ?? 'all checks passed',
    });
    changeStatus(world, API_SERVICES, object, { conditions: [condition] });
  }
}

/**
 * While its pod runs, the approver that somebody installed denies what the first compute node asks for, as soon as it asks.
 * @returns how to stop
 */
export function startApprover({ store, clock, design, log }: World): () => void {
  const [node] = nodesWithRole(design, ...WORKER_ROLES);
  const isUp = () => store.list('pods', APPROVER).some(isPodReady);
  async function decide(request: KubeObject, planned: string): Promise<void> {
    const { commonNames } = await readRequest(requestPem(request));
    if (!isUp() || !commonNames.some((name) => name.startsWith(`system:node:${planned}.`))) return;
    const now = timestamp(clock.now());
    store.mutate(REQUESTS, null, request.metadata.name, (change) => {
      const condition = {
        type: 'Denied',
        status: 'True',
        reason: 'CSRApproverDenied',
        message: `csr-approver: the host name ${planned} does not match ^node-[0-9]+`,
        lastUpdateTime: now,
        lastTransitionTime: now,
      };
      if (isPending(change)) {
        change.status = { ...(isRecord(change.status) ? change.status : {}), conditions: [condition] };
      }
    });
  }

  return store.subscribe(({ type, resource, object }) => {
    if (resource !== REQUESTS || type !== 'ADDED' || node === undefined || !isUp()) return;
    decide(object, node.name).catch((error: Error) => log(`approver: ${error.message}`));
  });
}
