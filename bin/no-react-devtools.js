// Stands in for react-devtools-core, which Ink imports and only a development build uses.
// biome-ignore lint/style/noDefaultExport: it is imported by its default.
export default { initialize() {}, connectToDevTools() {} };
