export { ApiError, type Problem } from './api-error.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { type Environment, systemEnvironment } from './environment.ts';
export { createTransport, type Transport, type TransportOptions } from './transport.ts';
