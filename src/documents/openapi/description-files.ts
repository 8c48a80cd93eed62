import { jsonDocument } from '../../protocols/protocol-module.ts';
import { describedRoutes } from '../../routes/route-table.ts';
import { featuresOf } from '../../schemas/features.ts';
import { operationSlicePath } from '../../schemas/paths.ts';
import type { DocumentFile, Publication } from '../../text/publication-model.ts';
import { agentDescription, operationSlice } from './agent-description.ts';
import { openApiDocument } from './openapi.ts';
import type { OpenApiObject } from './openapi-types.ts';

const made = new WeakMap<Publication, OpenApiObject>();

/** The whole description of a publication's interface, made once. */
export function wholeDescription(publication: Publication): OpenApiObject {
  const document = made.get(publication) ?? openApiDocument(publication);
  made.set(publication, document);
  return document;
}

export function descriptionForAgents(publication: Publication): OpenApiObject {
  return agentDescription(wholeDescription(publication), routesOf(publication));
}

export function operationSlices(publication: Publication): DocumentFile[] {
  const whole = wholeDescription(publication);
  return routesOf(publication).flatMap((route) => {
    const slice = operationSlice(whole, route);
    return slice === undefined ? [] : [{ path: operationSlicePath(route.id), ...jsonDocument(slice) }];
  });
}

function routesOf({ deployment, publisher, offers }: Publication): ReturnType<typeof describedRoutes> {
  return describedRoutes(deployment, featuresOf(publisher, offers));
}
