import { nodesWithRole } from '../../../design/derived-facts.ts';
import { WORKER_ROLES } from '../../../design/model.ts';
import { findApiServiceProblem } from '../../api/api-services.ts';
import { decodeRequestPem } from '../../api/csr-rules.ts';
import { formatTimestamp, getList, isRecord, type KubeObject } from '../../api/objects.ts';
import { readRequest } from '../../pki.ts';
import { mergeStatus, withTransitionTime } from '../conditions.ts';
import { isRequestPending } from '../operators/bootstrap-progress.ts';
import { APPROVER_NAMESPACE } from '../workloads/plan-admin-workloads.ts';
import { isPodReady } from '../workloads/pods.ts';
import type { World } from '../world.ts';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';
const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';

/** The aggregation layer reports for each APIService whether it is available. */
export function reportApiServices(world: World): void {
  for (const object of world.store.list(API_SERVICES)) {
    const problem = findApiServiceProblem(world.store, object);
    const condition = withTransitionTime(world, getList(object, 'status', 'conditions'), {
      type: 'Available',
      status: problem === null ? 'True' : 'False',
      reason: problem?.reason ?? 'Passed',
      message: problem?.message ?? 'all checks passed',
    });
    mergeStatus(world, API_SERVICES, object, { conditions: [condition] });
  }
}

/**
 * Starts the approver that an administrator installed. While its pod runs, it denies the first compute node's requests
 * at once.
 * @returns stops the approver
 */
export function startApprover({ store, clock, design, log }: World): () => void {
  const [node] = nodesWithRole(design, ...WORKER_ROLES);
  const isRunning = () => store.list('pods', APPROVER_NAMESPACE).some(isPodReady);
  async function denyRequest(request: KubeObject, planned: string): Promise<void> {
    const { commonNames } = await readRequest(decodeRequestPem(request));
    if (!isRunning() || !commonNames.some((name) => name.startsWith(`system:node:${planned}.`))) return;
    const now = formatTimestamp(clock.now());
    store.mutate(CSR_RESOURCE, null, request.metadata.name, (change) => {
      const condition = {
        type: 'Denied',
        status: 'True',
        reason: 'CSRApproverDenied',
        message: `csr-approver: the host name ${planned} does not match ^node-[0-9]+`,
        lastUpdateTime: now,
        lastTransitionTime: now,
      };
      if (isRequestPending(change)) {
        change.status = { ...(isRecord(change.status) ? change.status : {}), conditions: [condition] };
      }
    });
  }

  return store.subscribe(({ type, resource, object }) => {
    if (resource !== CSR_RESOURCE || type !== 'ADDED' || node === undefined || !isRunning()) return;
    denyRequest(object, node.name).catch((error: Error) => log(`approver: ${error.message}`));
  });
}
