import { addressesWords } from './design-rules/addresses.ts';
import { infraWords } from './design-rules/infra.ts';
import { linksWords } from './design-rules/links.ts';
import { namesWords } from './design-rules/names.ts';
import { networksWords } from './design-rules/networks.ts';
import { nodesWords } from './design-rules/nodes.ts';
import { servicesWords } from './design-rules/services.ts';
import { sourcesWords } from './design-rules/sources.ts';
import { spellingWords } from './design-rules/spelling.ts';
import { versionWords } from './design-rules/version.ts';

/** What the rules about a design demand (`title`), what they say when it is not so, and what to do about it. */
export const designRules = {
  /** The end of a sentence that is true for more nodes than the one it is told at. */
  alsoNodes: (others: readonly string[]) => {
    if (others.length === 0) return '';
    const names = others.slice(0, 3).join(', ');
    return others.length > 3 ? ` (also ${names} and ${others.length - 3} more)` : ` (also ${names})`;
  },
  ...spellingWords,
  ...namesWords,
  ...versionWords,
  ...networksWords,
  ...addressesWords,
  ...nodesWords,
  ...linksWords,
  ...servicesWords,
  ...sourcesWords,
  ...infraWords,
};
