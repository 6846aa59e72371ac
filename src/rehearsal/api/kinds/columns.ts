import { ageColumn, nameColumn } from '../cells.ts';
import { coreColumns } from './columns-core.ts';
import { openshiftColumns } from './columns-openshift.ts';
import type { Column } from './kind.ts';

/** Returns the columns that `kubectl get` prints for a resource: its own columns, else its name and age. */
export function getColumns(resource: string): readonly Column[] {
  return coreColumns[resource] ?? openshiftColumns[resource] ?? [nameColumn, ageColumn];
}
