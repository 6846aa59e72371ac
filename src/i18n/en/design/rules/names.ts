/** Messages of the rules about names of machines and domains. */
export const namesWords = {
  nameFormat: {
    title: 'Names are single DNS labels: a to z, 0 to 9 and hyphens, 63 characters at most',
    message: (text: string) => `"${text}" is not a hostname`,
    fix: 'Use lowercase letters, digits and hyphens, no hyphen at either end; 63 characters at most.',
    fixShort: (label: string) => `Use only the first part, ${label}: the domain is added.`,
  },
  nameReserved: {
    title: 'No machine has a reserved name',
    message: (name: string) => `The name ${name} is reserved`,
    fix: 'api, api-int and apps belong to the endpoints, localhost and similar names to every machine. Choose another name.',
  },
  nameDuplicate: {
    title: 'Every node has a name of its own',
    message: (name: string) => `More than one node has the name ${name}`,
    fix: 'Give each node a name of its own.',
  },
  nodeNameLength: {
    title: 'A node’s full name has 63 characters at most',
    message: (fqdn: string, length: number) =>
      `The full name ${fqdn} has ${length} characters; the limit for nodes is 63`,
    fix: 'Shorten the node’s name, the cluster name or the base domain.',
  },
  hostConflict: {
    title: 'A service host that is listed twice is the same machine each time',
    message: (name: string) => `${name} is listed twice, with different addresses or operating systems`,
    fix: 'Use the same address and operating system in each place. If these are two machines, use two names.',
  },
  clusterName: {
    title: 'The cluster name has lowercase letters, digits, hyphens and dots only, 54 characters at most',
    message: (name: string, wrongCharacters: readonly string[]) => {
      const quotes = wrongCharacters.map((character) => `"${character}"`);
      const list = [quotes.slice(0, -1).join(', '), ...quotes.slice(-1)].filter((part) => part !== '').join(' and ');
      const reason = quotes.length === 0 ? '' : `: ${list} ${quotes.length === 1 ? 'is' : 'are'} not allowed`;
      return `"${name}" cannot be the name of a cluster${reason}`;
    },
    fix: 'Use lowercase letters, digits and hyphens, 54 characters at most, such as ocp45.',
  },
  baseDomain: {
    title: 'The base domain is a DNS domain in lower case without a dot at the end',
    message: (domain: string) => `"${domain}" is not a domain`,
    fix: 'Use labels of lowercase letters, digits and hyphens, joined by dots: example.localdomain.',
    fixMeant: (domain: string) => `Write it in lower case, without a dot at the start or the end: ${domain}`,
  },
  baseDomainDigit: {
    title: 'The last label of the base domain does not end in a digit',
    message: (label: string) =>
      `The domain ends in ${label}; the authentication operator refuses names that end in a digit`,
    fix: 'Use a domain whose last part ends in a letter.',
  },
  baseDomainLocal: {
    title: 'The base domain is not under .local',
    message: '.local belongs to multicast DNS: some machines will not query the name server for it',
    fix: 'Use a domain that is yours, or one like example.internal.',
  },
  baseDomainRepeats: {
    title: 'The base domain does not begin with the cluster name',
    message: (api: string) => `The cluster name comes before the base domain: the API would be ${api}`,
    fix: (domain: string) => `Write ${domain}, unless the repetition is intended.`,
  },
  domainLength: {
    title: 'The cluster domain has 253 characters at most',
    message: (length: number) => `The names under this domain get ${length} characters and more; the limit is 253`,
    fix: 'Shorten the base domain or the cluster name.',
  },
  hostTwice: {
    title: 'A service host is listed once for the same service',
    message: (name: string) => `${name} is in the list twice`,
    fix: 'Keep one of the two, or enter the other host.',
  },
  baseDomainSpecial: {
    title: 'The domain is not reserved for another use',
    message: (domain: string) =>
      `Names under ${domain} have a meaning of their own: machines do not query your name server for them`,
    fix: 'Use a domain that is yours, or one like example.internal.',
  },
};
