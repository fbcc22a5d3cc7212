/* Types of functions from MPI 4.0 to 5.0 and from MPI-1, for an mpi.h that lacks them because it is
 * older or newer. The generator says which (LACKS_NAME). Handles are as wide as in the library's
 * binary interface, and functions get only the program's own arguments of these types. */
#ifndef INTERPOSE_LIBRARY_NEWER_H
#define INTERPOSE_LIBRARY_NEWER_H

#ifdef LACKS_MPI_Session
#ifdef MPICH_NAME
typedef int MPI_Session;
#else
typedef struct ompi_instance_t *MPI_Session;
#endif
#endif
#ifdef LACKS_MPI_Session_errhandler_function
typedef void MPI_Session_errhandler_function(MPI_Session *session, int *code, ...);
#endif
#ifdef LACKS_MPI_User_function_c
typedef void MPI_User_function_c(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);
#endif
#ifdef LACKS_MPI_Datarep_conversion_function_c
typedef int MPI_Datarep_conversion_function_c(void *data, MPI_Datatype type, MPI_Count count,
                                              void *file, MPI_Offset position, void *extra);
#endif
#ifdef LACKS_MPI_Handler_function
typedef void MPI_Handler_function(MPI_Comm *comm, int *code, ...);
#endif
#ifdef LACKS_MPI_Copy_function
typedef int MPI_Copy_function(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag);
#endif
#ifdef LACKS_MPI_Delete_function
typedef int MPI_Delete_function(MPI_Comm comm, int key, void *value, void *extra);
#endif

/* Stands for a buffer that the library provides at the program's request. */
#ifndef MPI_BUFFER_AUTOMATIC
#ifdef MPICH_NAME
#define MPI_BUFFER_AUTOMATIC ((void *)-2)
#else
#define MPI_BUFFER_AUTOMATIC ((void *)2)
#endif
#endif

/* Events of MPI_T. */
#ifdef LACKS_MPI_T_event_registration
typedef struct interpose_registration *MPI_T_event_registration;
#endif
#ifdef LACKS_MPI_T_event_instance
typedef struct interpose_instance *MPI_T_event_instance;
#endif
#ifdef LACKS_MPI_T_cb_safety
typedef int MPI_T_cb_safety;
#endif
#ifdef LACKS_MPI_T_source_order
typedef int MPI_T_source_order;
#endif
#ifdef LACKS_MPI_T_event_cb_function
typedef void MPI_T_event_cb_function(MPI_T_event_instance event, MPI_T_event_registration from,
                                     MPI_T_cb_safety safety, void *data);
#endif
#ifdef LACKS_MPI_T_event_free_cb_function
typedef void MPI_T_event_free_cb_function(MPI_T_event_registration from, MPI_T_cb_safety safety,
                                          void *data);
#endif
#ifdef LACKS_MPI_T_event_dropped_cb_function
typedef void MPI_T_event_dropped_cb_function(MPI_Count count, MPI_T_event_registration from,
                                             int source, MPI_T_cb_safety safety, void *data);
#endif

#endif
