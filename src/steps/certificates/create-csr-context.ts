import type { BootEvidence, CsrContext } from '../../csr/csr-context.ts';
import { NO_AUDIT_LOG } from '../../session/audit-log.ts';
import type { StepContext } from '../contract.ts';
import { getRecordedFacts, recordIssued } from '../shared/certificate-requests.ts';
import type { ClusterContext } from '../shared/cluster-access.ts';
import { listJoinCandidates } from '../shared/machines/node-facts.ts';

/** Creates the context for reviewing CSRs, from a running cluster and the facts that its session recorded. */
export function createCsrContext(clusterContext: ClusterContext): CsrContext {
  const { design, clock, resolveEndpoint, connect, stepState, probeCache, session } = clusterContext;
  const createNameAccessor = (name: 'served' | 'proven') => ({
    get: () => stepState.get(name) ?? [],
    set: (names: readonly string[]) => stepState.set(name, names),
  });
  return {
    design,
    clock,
    resolveEndpoint,
    connect,
    auditLog: session?.context.auditLog ?? NO_AUDIT_LOG,
    getRecordedFacts: () => getRecordedFacts(clusterContext),
    recordIssued: (times) => recordIssued(clusterContext, times),
    facts: { served: createNameAccessor('served'), proven: createNameAccessor('proven') },
    kubeletVerdicts: probeCache.kubeletVerdicts,
    bootEvidence: session && createBootEvidence(session.context),
  };
}

/**
 * Creates functions that read evidence of booting machines. Their modules load on demand: approving a CSR by name does
 * not need them.
 */
function createBootEvidence(context: StepContext): BootEvidence {
  return {
    async findBootedMachines(machines) {
      const { collectBootSigns } = await import('../shared/machines/boot-progress.ts');
      const { observations } = await collectBootSigns(context, machines);
      return new Set(observations.flatMap(({ node, bootStage }) => (bootStage === 'off' ? [] : node.name)));
    },
    async listUnbootableMachines() {
      const { probeBoot } = await import('../shared/machines/boot-progress.ts');
      const { findings } = await probeBoot(context, listJoinCandidates(context));
      return findings.flatMap(({ severity, subject }) => (severity === 'fatal' ? [subject] : []));
    },
    async listInstallations() {
      const { parseRequestStage } = await import('../../checks/boot/checks.ts');
      const { readBootRequests } = await import('../shared/machines/boot-requests.ts');
      const fetches = (await readBootRequests(context)).filter(({ path, status }) => {
        const stage = status < 400 ? parseRequestStage(path) : null;
        return stage === 'rootfs' || stage === 'ignition';
      });
      return fetches.map(({ client, at }) => ({ client, at }));
    },
  };
}
