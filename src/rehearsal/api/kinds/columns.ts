import { ageColumn, nameColumn } from '../cells.ts';
import { coreColumns } from './columns-core.ts';
import { openshiftColumns } from './columns-openshift.ts';
import type { Column } from './kind.ts';

/** What `kubectl get` shows of a resource: its own columns, else its name and age. */
export function columnsOf(resource: string): readonly Column[] {
  return coreColumns[resource] ?? openshiftColumns[resource] ?? [nameColumn, ageColumn];
}
