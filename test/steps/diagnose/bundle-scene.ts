import { nodeFqdn } from '../../../src/design/names.ts';
import type { CauseId } from '../../../src/diagnosis/causes/index.ts';
import { MINUTE } from '../../../src/ports/clock.ts';
import { type BundleFiles, GATHERED } from '../../support/bundle-text.ts';
import { clientObject, newKeys } from '../../support/csr-forge.ts';
import { exampleSite } from '../../support/example-design.ts';

/** A fault as bundles show it: the rules that may be told first, a part of the line that shows it, and the files. */
export type BundleScene = readonly [what: string, first: readonly CauseId[], seen: string, files: BundleFiles];

/** A request to join of a node that is planned. */
export function csr(name: string) {
  return clientObject({
    name: `csr-${name}`,
    keys: newKeys(),
    fqdn: nodeFqdn(exampleSite(), { name }),
    createdAt: GATHERED - 20 * MINUTE,
  });
}
