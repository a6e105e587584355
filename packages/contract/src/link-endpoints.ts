import Type from 'typebox';
import { endpoint } from './endpoint.ts';

/** Signed links: their signature is the credential. A link that is not good for the request is answered without a body. */
const link = {
  path: '/storage/:shard/:session/:kind/:file',
  tag: 'Sessions',
  credential: 'none',
  anyOf: [],
  hidden: true,
  rateGroup: 'none',
  codes: [],
  params: Type.Object({
    shard: Type.String(),
    session: Type.String(),
    kind: Type.String(),
    file: Type.String(),
  }),
} as const;

export const downloadUpo = endpoint({
  ...link,
  id: 'storage.downloadUpo',
  method: 'GET',
  summary: 'Receipt by its download link',
  status: 200,
  document: 'application/xml',
});

export const uploadPart = endpoint({
  ...link,
  id: 'storage.uploadPart',
  method: 'PUT',
  summary: 'Upload a part of a package by its link',
  streamedBody: true,
  status: 201,
});

export const postToLink = endpoint({
  ...link,
  id: 'storage.post',
  method: 'POST',
  summary: 'No link is good for this method',
  streamedBody: true,
  status: 204,
});

export const deleteLink = endpoint({
  ...link,
  id: 'storage.delete',
  method: 'DELETE',
  summary: 'No link is good for this method',
  streamedBody: true,
  status: 204,
});
