import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';
import { getNodeFqdn } from '../../../src/design/derived-facts.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { type BundleFiles, GATHERED_AT } from '../../support/bundle-text.ts';
import { createClientObject, createKeys } from '../../support/csr-forge.ts';
import { exampleSite } from '../../support/example-design.ts';

/**
 * A fault as it appears in a bundle: the rules that may come first, a part of the line that is evidence of it, and the
 * files.
 */
export type BundleScene = readonly [what: string, first: readonly DiagnosticRuleId[], seen: string, files: BundleFiles];

/** Creates a pending client certificate request of a planned node. */
export function createCsr(name: string) {
  return createClientObject({
    name: `csr-${name}`,
    keys: createKeys(),
    fqdn: getNodeFqdn(exampleSite(), { name }),
    createdAt: GATHERED_AT - 20 * MINUTE,
  });
}
