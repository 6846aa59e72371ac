import { type Clue, cause } from '../cause.ts';

/** A volume claim asks for a storage class that nobody has, or for the default one of a cluster without any. */
export const storageClassMissing = cause('storage-class-missing', 'registry', ({ cluster }) => {
  const classes = cluster?.storageClasses ?? null;
  if (cluster === null || classes === null) return [];
  const claims = (cluster.pendingClaims ?? []).flatMap(({ name, storageClass }): Clue[] => {
    if (storageClass === null ? classes.length > 0 : classes.includes(storageClass)) return [];
    const [namespace = '', claim = ''] = name.split('/');
    const symptom = `${name} Pending, storageClassName ${storageClass ?? 'default'}; StorageClasses: ${classes.join(', ') || 'none'}`;
    return [{ likelihood: 'certain', subject: name, symptom, command: `oc describe pvc -n ${namespace} ${claim}` }];
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
  return [...claims, ...said];
});
