import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, type Symptom } from '../diagnostic-rule.ts';
import type { Evidence } from '../evidence.ts';

/** A volume claim requests a StorageClass that does not exist, or the default one of a cluster without any. */
export const storageClassMissing = diagnosticRule('storage-class-missing', 'registry', (evidence) => {
  const { cluster } = evidence;
  const classes = cluster?.storageClasses ?? null;
  if (cluster === null || classes === null) return [];
  const claims = (cluster.pendingClaims ?? []).flatMap(({ name, storageClass }): Symptom[] => {
    if (storageClass === null ? classes.length > 0 : classes.includes(storageClass)) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const symptom = `${name} Pending, storageClassName ${storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
    return [
      {
        likelihood: 'certain',
        subject: name,
        symptom,
        command: shellCommand`oc describe pvc -n ${namespace} ${claim}`,
      },
    ];
  });
  const registry = (cluster.operators ?? []).filter(({ wait }) => wait?.code === 'registry-storage');
  const operatorSymptoms = registry.map(({ name, message }): Symptom => {
    return {
      likelihood: 'likely',
      subject: name,
      symptom: message,
      command: 'oc get storageclass; oc get configs.imageregistry cluster -o yaml',
    };
  });
  return [...claims, ...operatorSymptoms, ...findRegistryWithoutClass(evidence)];
});

/** The design requests a volume for the registry, and the installed cluster has no StorageClass for it. */
function findRegistryWithoutClass({ design, cluster }: Evidence): Symptom[] {
  const classes = cluster?.storageClasses ?? null;
  const registry = design?.infra.registry;
  if (classes === null || registry === undefined || registry.storage !== 'pvc' || !cluster?.version?.available)
    return [];
  if (registry.storageClass === null ? classes.length > 0 : classes.includes(registry.storageClass)) return [];
  const symptom = `infra.registry.storageClass: ${registry.storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
  return [{ likelihood: 'likely', subject: '', symptom, command: 'oc get storageclass' }];
}
