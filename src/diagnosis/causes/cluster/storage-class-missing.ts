import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause } from '../cause.ts';
import type { Evidence } from '../evidence.ts';

/** A volume claim asks for a storage class that nobody has, or for the default one of a cluster without any. */
export const storageClassMissing = cause('storage-class-missing', 'registry', (evidence) => {
  const { cluster } = evidence;
  const classes = cluster?.storageClasses ?? null;
  if (cluster === null || classes === null) return [];
  const claims = (cluster.pendingClaims ?? []).flatMap(({ name, storageClass }): Clue[] => {
    if (storageClass === null ? classes.length > 0 : classes.includes(storageClass)) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const symptom = `${name} Pending, storageClassName ${storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
    return [
      { likelihood: 'certain', subject: name, symptom, command: shell`oc describe pvc -n ${namespace} ${claim}` },
    ];
  });
  const registry = (cluster.operators ?? []).filter(({ wait }) => wait?.code === 'registry-storage');
  const said = registry.map(({ name, message }): Clue => {
    return {
      likelihood: 'likely',
      subject: name,
      symptom: message,
      command: 'oc get storageclass; oc get configs.imageregistry cluster -o yaml',
    };
  });
  return [...claims, ...said, ...planned(evidence)];
});

/** The design wants a volume for the registry, and the finished cluster has nothing to make it with. */
function planned({ design, cluster }: Evidence): Clue[] {
  const classes = cluster?.storageClasses ?? null;
  const registry = design?.infra.registry;
  if (classes === null || registry === undefined || registry.storage !== 'pvc' || !cluster?.version?.available)
    return [];
  if (registry.storageClass === null ? classes.length > 0 : classes.includes(registry.storageClass)) return [];
  const symptom = `infra.registry.storageClass: ${registry.storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
  return [{ likelihood: 'likely', subject: '', symptom, command: 'oc get storageclass' }];
}
