import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';

/** Nodes at whose planned addresses a server with another key or name answers. */
type ForeignEvidence = readonly { readonly name: string; readonly ip: readonly string[] }[];

/** Another machine may use the address of a node. */
export const servingForeign: Rule<ForeignEvidence> = {
  code: 'serving-foreign',
  severity: 'fatal',
  evaluate: (nodes) =>
    nodes.map(({ name, ip: [address = ''] }) => {
      const { title, cause, remedy } = catalogue().diagnosis.certificates['serving-foreign'];
      return { subject: name, title: title(name), cause: cause(address), remedy: remedy(name) };
    }),
};
