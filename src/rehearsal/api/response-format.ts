import { StatusError } from './status.ts';

/** The format in which a client wants the response. */
export type ResponseFormat = { readonly as: 'object' } | { readonly as: 'Table'; readonly apiVersion: string };

const TABLE_VERSIONS = ['v1', 'v1beta1'];

/**
 * The first format of an `Accept` header that this server has: JSON, plain or as a Table.
 * @throws StatusError 406 if there is none
 */
export function negotiateFormat(accept: string | undefined): ResponseFormat {
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
