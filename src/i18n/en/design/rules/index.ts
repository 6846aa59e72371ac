import { addressesWords } from './addresses.ts';
import { imageAndProxyWords } from './images-and-proxy.ts';
import { infraRules } from './infra.ts';
import { linksWords } from './links.ts';
import { namesWords } from './names.ts';
import { networksWords } from './networks.ts';
import { nodesWords } from './nodes.ts';
import { servicesWords } from './services.ts';
import { spellingWords } from './spelling.ts';
import { versionWords } from './version.ts';

/** Messages of the design rules: the requirement (`title`), the violation (`message`) and its remedy (`fix`). */
export const designRules = {
  /** Suffix of a message that is shown at one node and applies to these other nodes, too. */
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
  ...imageAndProxyWords,
  ...infraRules,
};
