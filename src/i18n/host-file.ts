import { catalogue } from './catalogue.ts';

/**
 * A generated file for display. `lb1/etc/haproxy/haproxy.cfg`, its path below the output directory, becomes `lb1:
 * /etc/haproxy/haproxy.cfg`: the host and the path there.
 */
export function formatHostFile(file: string): string {
  const end = file.indexOf('/');
  return end < 0 ? file : catalogue().steps.hostFile(file.slice(0, end), file.slice(end));
}

/** Returns the changed object for display. With `isFile` it is a generated file; any other object is already a name. */
export const formatChangedObject = ({
  object,
  isFile = false,
}: {
  readonly object: string;
  readonly isFile?: boolean;
}) => (isFile ? formatHostFile(object) : object);
