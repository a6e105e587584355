/** The embedded server cannot start here; the message says why and what to do. The service prints it and ends. */
export class EmbeddedRefusal extends Error {
  override name = 'EmbeddedRefusal';
}
