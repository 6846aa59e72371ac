// What is required inside a function is evaluated when it is called: the library's expressions cost 10 ms of CPU even unused.
module.exports = () => require('string-width').default;
