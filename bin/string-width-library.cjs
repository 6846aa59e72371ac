// The library is required when the function is called: its regular expressions cost 10 ms of CPU even unused.
module.exports = () => require('string-width').default;
