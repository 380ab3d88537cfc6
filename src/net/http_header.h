/* SPDX-License-Identifier: MIT
 *
 * Headers of a response, for http.c.
 */
#ifndef SKILL_NET_HTTP_HEADER_H
#define SKILL_NET_HTTP_HEADER_H

#include <curl/curl.h>

#include "net/http.h"

/* Sets status and headers of the response that the transfer has received so far. */
void skill__http_head(CURL *easy, struct skill__http_response *response);

#endif
