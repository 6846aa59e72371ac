import { catalogue } from './catalogue.ts';

/**
 * A generated file as a person reads it: `lb1/etc/haproxy/haproxy.cfg`, its place below the directory of the files, is
 * `lb1: /etc/haproxy/haproxy.cfg`, the host and where the file goes there.
 */
export function hostFile(file: string): string {
  const end = file.indexOf('/');
  return end < 0 ? file : catalogue().steps.hostFile(file.slice(0, end), file.slice(end));
}

/** What changes, as a person reads it. `isFile`: a generated file; anything else is named already. */
export const changedThing = ({ object, isFile = false }: { readonly object: string; readonly isFile?: boolean }) =>
  isFile ? hostFile(object) : object;
