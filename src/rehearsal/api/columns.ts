import type { Column } from './kind.ts';
import { timestamp } from './objects.ts';

export function columnsOf(_resource: string): readonly Column[] {
  return [
    { name: 'Name', type: 'string', format: 'name', value: ({ metadata }) => metadata.name },
    { name: 'Age', type: 'date', value: ({ metadata }, now) => metadata.creationTimestamp || timestamp(now) },
  ];
}
