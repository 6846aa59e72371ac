import { addressesWords } from './addresses.ts';
import { infraWords } from './infra.ts';
import { linksWords } from './links.ts';
import { namesWords } from './names.ts';
import { networksWords } from './networks.ts';
import { nodesWords } from './nodes.ts';
import { servicesWords } from './services.ts';
import { sourcesWords } from './sources.ts';
import { spellingWords } from './spelling.ts';
import { versionWords } from './version.ts';

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
