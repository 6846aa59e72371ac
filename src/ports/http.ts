/**
 * Node's HTTP without the price of importing it: an import reads every export of the module, and one of them loads another whole HTTP
 * client (measured with Node 24: 49 ms in place of 6).
 */
export const { createServer, get, request } = process.getBuiltinModule('node:http');
