import { setFlagsFromString } from 'node:v8';

// V8 allocates the objects of a place in the code in the old generation after a collection that finds most of them alive,
// as in a first burst of requests. An object of a finished request there keeps the whole request in memory until the next
// full collection, so that requests take twice the CPU and the memory. Whether that happens varies between starts.
setFlagsFromString('--no-allocation-site-pretenuring');
