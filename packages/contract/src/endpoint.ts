import type { Static, TSchema } from 'typebox';

/** What stands in `Authorization: Bearer` of an endpoint. */
export type Credential = 'none' | 'authentication' | 'refresh' | 'access' | 'accessOrRefresh' | 'optionalAccess';

export interface Endpoint {
  /** Stable name, e.g. `auth.challenge`; operation id in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In neutral form with `:name` parameters, e.g. `/invoices/svc/:svcNumber`. The frame adds the other name and the prefixes. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly credential: Credential;
  /** One of these is enough; empty: none is asked for. */
  readonly anyOf: readonly string[];
  /** Closed to logins by system token (403 `auth-method-not-allowed`). */
  readonly signatureLoginOnly?: boolean;
  /** Context types that are refused with 403 `context-type-not-allowed`. */
  readonly closedToContexts?: readonly string[];
  /** Registered on TEST only. */
  readonly testOnly?: boolean;
  /** Not part of the published path list (signed links): left out of the OpenAPI document. */
  readonly hidden?: boolean;
  readonly rateGroup: string;
  /** Codes of the 400 answers this endpoint can give. */
  readonly codes: readonly number[];
  /** Body of a 400 of its own, beside the errors of the catalogue. */
  readonly badRequest?: TSchema;
  /** Answers 410 after the retention period. */
  readonly gone?: boolean;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** A missing body is read as `{}`. */
  readonly bodyOptional?: boolean;
  /** Media type of a body that is not JSON; it is handed on as raw bytes. */
  readonly rawBody?: string;
  /** The body is taken as a stream of any media type, without a size limit of the frame. */
  readonly streamedBody?: boolean;
  /** Paged by the header `x-continuation-token`. */
  readonly continued?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** JSON answer; absent: empty body or a document. */
  readonly answer?: TSchema;
  /** Media type of a document answer. */
  readonly document?: string;
  /** Answers, refusals included, are pages for people when `Accept` prefers `text/html`. */
  readonly page?: boolean;
  /** Can answer 403 although it asks for no token. */
  readonly forbids?: boolean;
}

export type Input<E extends Endpoint, Part extends 'params' | 'query' | 'body'> = E[Part] extends TSchema
  ? Static<E[Part]>
  : undefined;
export type Output<E extends Endpoint> = E['answer'] extends TSchema ? Static<E['answer']> : undefined;

/** Declares an endpoint; exists so that the literal types of its schemas survive. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}
