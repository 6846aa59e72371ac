// Stands in for the libraries that conf needs only for a schema or for migrations. Sessions use neither.
function refuse() {
  throw new Error('conf was given a schema or migrations, and the bundle has no validator: see bin/build.js');
}

export const Ajv2020 = refuse;
// biome-ignore lint/style/noDefaultExport: conf imports both by their defaults.
export default { default: refuse, satisfies: refuse, valid: refuse, compare: refuse, gt: refuse, lte: refuse };
