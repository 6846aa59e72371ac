import { StatusError } from './status.ts';

/** In which form a client wants what it reads. */
export type View = { readonly as: 'object' } | { readonly as: 'Table'; readonly apiVersion: string };

const TABLE_VERSIONS = ['v1', 'v1beta1'];

/**
 * The first form of an `Accept` header that this server has: JSON, as it is or as a Table.
 * @throws StatusError 406 when there is none
 */
export function negotiate(accept: string | undefined): View {
  if (accept === undefined || accept.trim() === '') return { as: 'object' };
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!/^(?:application\/json|application\/\*|\*\/\*)$/.test(type)) continue;
    const wanted = Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2)));
    if (wanted.as === undefined) return { as: 'object' };
    if (wanted.as === 'Table' && wanted.g === 'meta.k8s.io' && TABLE_VERSIONS.includes(wanted.v)) {
      return { as: 'Table', apiVersion: `meta.k8s.io/${wanted.v}` };
    }
  }
  const message = 'only the following media types are accepted: application/json';
  throw new StatusError(406, 'NotAcceptable', message);
}
